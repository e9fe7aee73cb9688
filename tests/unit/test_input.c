/* Files of strangers: up to the limit and no further, whatever they are; and what goes to a terminal. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/rig.h"
#include "tools/faultline/input.h"
#include "tools/faultline/vary.h"

#define MIB ((size_t)1 << 20)

static const struct input_kind kind = {"a thing", MIB};
static struct sim_error error;
static char folder[] = "/tmp/faultline-input-XXXXXX";
static char path[64];

static void set_up(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/x", folder);
}

static void tear_down(void)
{
    (void)unlink(path);
    (void)rmdir(folder);
}

/* So many bytes, the last a line feed. */
static void write_file(size_t size)
{
    FILE *to = fopen(path, "w");
    ck_assert_ptr_nonnull(to);
    for (size_t i = 1; i < size; i++)
        (void)fputc('#', to);
    (void)fputc('\n', to);
    ck_assert_int_eq(fclose(to), 0);
}

START_TEST(all_of_it_up_to_the_limit)
{
    static const size_t sizes[] = {1, 32768, 65535, 65536, 65537, MIB};
    char *bytes = NULL;
    size_t size = 0;
    write_file(sizes[_i]);
    ck_assert_int_eq(input_read(path, &kind, &bytes, &size, &error), 0);
    ck_assert_uint_eq(size, sizes[_i]);
    ck_assert_uint_eq(strlen(bytes), size);
    ck_assert_int_eq(bytes[size - 1], '\n');
    free(bytes);
}
END_TEST

static void expect_refused(const char *name, const char *words)
{
    char *bytes = NULL;
    size_t size = 7;
    ck_assert_int_eq(input_read(name, &kind, &bytes, &size, &error), -1);
    ck_assert_ptr_nonnull(strstr(error.text, words));
    ck_assert(bytes == NULL && size == 7);
}

START_TEST(what_is_refused)
{
    write_file(MIB + 1);
    expect_refused(path, "/x: larger than a thing may be; the limit is 1 MiB");
    ck_assert_int_eq(truncate(path, (off_t)10 << 30), 0);
    expect_refused(path, "larger than a thing may be");
    expect_refused("/dev/zero", "/dev/zero: larger than a thing may be");
    expect_refused(folder, ": cannot be read: Is a directory");
    expect_refused("/nonexistent/x", "/nonexistent/x: cannot be opened: No such file or directory");
}
END_TEST

/* A pipe that nobody writes to is not waited for. */
START_TEST(only_files_are_files)
{
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_int_eq(input_check_file(path, &error), -1);
    ck_assert_ptr_nonnull(strstr(error.text, "/x: a pipe or a device; what a scenario names must be a file"));
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(input_check_file(path, &error), -1);
    ck_assert_ptr_nonnull(strstr(error.text, "No such file or directory"));
    ck_assert_int_eq(input_check_file("/dev/zero", &error), -1);
    ck_assert_int_eq(input_check_file(folder, &error), -1);
    ck_assert_ptr_nonnull(strstr(error.text, "Is a directory"));
    write_file(1);
    ck_assert_int_eq(input_check_file(path, &error), 0);
}
END_TEST

/* The cells of a sweep without end, of one line without end, and with a byte that would hide the rest of a line. */
START_TEST(cells_have_an_end)
{
    struct vary *vary = vary_create();
    ck_assert_int_eq(vary_add_file(vary, "/dev/zero", &error), -1);
    ck_assert_str_eq(error.text, "/dev/zero: larger than a list of cells may be; the limit is 64 MiB");
    vary_destroy(vary);
    FILE *to = fopen(path, "w");
    (void)fwrite("learners.count=2\0\n", 1, 18, to);
    (void)fclose(to);
    vary = vary_create();
    ck_assert_int_eq(vary_add_file(vary, path, &error), -1);
    ck_assert_ptr_nonnull(strstr(error.text, "/x: holds a NUL byte: not a text file"));
    vary_destroy(vary);
    to = fopen(path, "w");
    for (int i = 0; i <= VARY_CELLS_MAX; i++)
        (void)fputs("learners.count=2\n", to);
    (void)fclose(to);
    vary = vary_create();
    ck_assert_int_eq(vary_add_file(vary, path, &error), -1);
    ck_assert_ptr_nonnull(strstr(error.text, "/x:100001: more than 100000 cells"));
    vary_destroy(vary);
}
END_TEST

START_TEST(a_message_is_one_line_of_text)
{
    ck_assert_int_eq(sim_error_set(&error, "%s", "a\nfaultline: all is well\x1b[2J\x7f"), -1);
    ck_assert_str_eq(error.text, "a?faultline: all is well?[2J?");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("input");
    TCase *tcase = tcase_create("input");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_loop_test(tcase, all_of_it_up_to_the_limit, 0, 6);
    tcase_add_test(tcase, what_is_refused);
    tcase_add_test(tcase, only_files_are_files);
    tcase_add_test(tcase, cells_have_an_end);
    tcase_add_test(tcase, a_message_is_one_line_of_text);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
