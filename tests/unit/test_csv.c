/* Reading comma-separated values: what spreadsheets and strangers make of them. */
#include <stdio.h>
#include <unistd.h>

#include "tests/rig.h"
#include "tools/faultline/csv.h"

static struct csv *open_text(const char *text, struct sim_error *error)
{
    char path[] = "/tmp/faultline-csv-XXXXXX";
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
    (void)close(file);
    struct csv *csv = NULL;
    int status = csv_open(path, &csv, error);
    (void)unlink(path);
    return status == 0 ? csv : NULL;
}

/* All records as "a|b/c|d"; an error ends it with its text behind the file name. */
static void read_all(const char *text, char *ret, size_t size)
{
    struct sim_error error;
    struct csv *csv = open_text(text, &error);
    const struct csv_field *fields;
    size_t last = 0, used = 0;
    bool more = true;
    ret[0] = '\0';
    ck_assert_ptr_nonnull(csv);
    if (csv_column(csv, "b", &last, &error) != 0)
        used += (size_t)snprintf(ret + used, size - used, "%s", strchr(error.text, ':'));
    while (csv_next(csv, &fields, &more, &error) == 0 && more)
        for (size_t i = 0; i <= last; i++)
            used += (size_t)snprintf(ret + used, size - used, "%s%s", fields[i].text, i < last ? "|" : "/");
    if (more)
        (void)snprintf(ret + used, size - used, "%s", strchr(error.text, ':'));
    csv_close(csv);
}

static const struct {
    const char *text, *expected;
} cases[] = {
    {"a,b\n1,2\n3,4\n", "1|2/3|4/"},
    {"a,b\n1,2\n3,4", "1|2/3|4/"},
    {"a,b\r\n1,2\r\n3,4\r\n", "1|2/3|4/"},
    {"a,b\r\n1,2\r\n3,4\r", "1|2/3|4/"},
    {"\xef\xbb\xbf"
     "a,b\n1,2\n",
     "1|2/"},
    {"a,b\n\n1,2\n\n\n3,4\n\n", "1|2/3|4/"},
    {"a,b\n\"x,y\",\"say \"\"no\"\"\"\n", "x,y|say \"no\"/"},
    {"a,b\r\n\"1\",\"2\"\r\n", "1|2/"},
    {"a,b\n\"two\nlines\",2\n3\n", "two\nlines|2/:4:1: 1 field, but the header has 2"},
    {"a,b\n,\n", "|/"},
    {"a,b\n1,2,\n", ":2:1: 3 fields, but the header has 2"},
    {"a,b\n1\n", ":2:1: 1 field, but the header has 2"},
    {"a,b\n1,\"2\n", ":2:3: this quote is never closed"},
    {"a,b\n\"1\"x,2\n", ":2:4: text after the closing quote of a field"},
    {"a,c\n1,2\n", ":1:1: the header has no column 'b'1/"},
    {"a,b,b\n1,2,3\n", ":1:5: the header has the column 'b' twice1/"},
};

START_TEST(test_reads)
{
    char got[256];
    read_all(cases[_i].text, got, sizeof got);
    ck_assert_str_eq(got, cases[_i].expected);
}
END_TEST

START_TEST(test_refuses)
{
    struct sim_error error;
    struct csv *csv = NULL;
    ck_assert_ptr_null(open_text("", &error));
    ck_assert_ptr_nonnull(strstr(error.text, "is empty; a header line is needed"));
    ck_assert_int_eq(csv_open("/nonexistent/file.csv", &csv, &error), -1);
    ck_assert_str_eq(error.text, "/nonexistent/file.csv: cannot be opened: No such file or directory");
    ck_assert_int_eq(csv_open("/", &csv, &error), -1);
    ck_assert_ptr_null(csv);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("csv");
    TCase *tcase = tcase_create("csv");
    tcase_add_loop_test(tcase, test_reads, 0, sizeof cases / sizeof cases[0]);
    tcase_add_test(tcase, test_refuses);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
