#include <check.h>
#include <stdlib.h>

#include "tools/faultline/value.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static struct sim_error why;

static const struct value_list small_set = {.max = 5, .low = 0, .high = 99, .is_set = true};

START_TEST(lists_are_sets_or_sequences)
{
    static const struct {
        const char *text;
        bool is_set;
        const char *canonical;
    } cases[] = {
        {"[4]", true, "[4]"},
        {"[5,4]", true, "[4, 5]"},
        {"[ 5 , 4 ]", true, "[4, 5]"},
        {"[0..3]", true, "[0, 1, 2, 3]"},
        {"[7..7, 1..2]", true, "[1, 2, 7]"},
        {"[5,4,5]", false, "[5, 4, 5]"},
        {"[0.01k]", true, "[10]"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct value_list list = small_set;
        int64_t number[5];
        int count = 0;
        list.is_set = cases[i].is_set;
        ck_assert_msg(value_read_list(cases[i].text, &list, number, &count, &why) == 0, "%s", why.text);
        char *written = value_list_text(number, count);
        ck_assert_str_eq(written, cases[i].canonical);
        free(written);
    }
}
END_TEST

START_TEST(bad_lists_are_refused)
{
    static const char *const cases[][2] = {
        {"", "'': not a list; expected numbers in brackets such as [4, 5]"},
        {"4", "'4': not a list; expected numbers in brackets such as [4, 5]"},
        {"[4", "'[4': not a list; expected numbers in brackets such as [4, 5]"},
        {"[]", "the list is empty; expected numbers in brackets such as [4, 5]"},
        {"[ ]", "the list is empty; expected numbers in brackets such as [4, 5]"},
        {"[4,]", "the value is empty; expected a number such as 2.4M"},
        {"[,4]", "the value is empty; expected a number such as 2.4M"},
        {"[4] ", "' ': nothing may follow the list"},
        {"[4][5]", "'[5]': nothing may follow the list"},
        {"[4 5]", "'4 5': no blank between number and unit; expected a number such as 2.4M"},
        {"[[4]]", "'[4': not a number; expected a number such as 2.4M"},
        {"[-1]", "'-1': must not be negative; expected a number such as 2.4M"},
        {"[1.5]", "'1.5': a count must be a whole number"},
        {"[100]", "'100': out of range; allowed: 0 to 99"},
        {"[0..100]", "'100': out of range; allowed: 0 to 99"},
        {"[3..1]", "'3..1': a range goes up"},
        {"[3..]", "the value is empty; expected a number such as 2.4M"},
        {"[..3]", "the value is empty; expected a number such as 2.4M"},
        {"[4, 5, 4]", "4 is in the list twice"},
        {"[1..3, 3..4]", "3 is in the list twice"},
        {"[0..5]", "more than 5 numbers; that is the limit of this list"},
        {"[1,2,3,4,5,6]", "more than 5 numbers; that is the limit of this list"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t number[5] = {42};
        int count = 42;
        ck_assert_msg(value_read_list(cases[i][0], &small_set, number, &count, &why) == -1, "%s", cases[i][0]);
        ck_assert_str_eq(why.text, cases[i][1]);
        ck_assert(number[0] == 42 && count == 42);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("value_list");
    TCase *tests = tcase_create("value_list");
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, lists_are_sets_or_sequences);
    tcase_add_test(tests, bad_lists_are_refused);
    SRunner *runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
