/* Text inside HTML: marks, controls, what is no UTF-8. */
#include <stdio.h>

#include "tests/rig.h"
#include "tools/faultline/html.h"

static const char *escaped(const char *text)
{
    static char out[256];
    out[0] = '\0';
    FILE *to = fmemopen(out, sizeof out, "w");
    html_text(to, text);
    (void)fclose(to);
    return out;
}

START_TEST(marks_are_text)
{
    ck_assert_str_eq(escaped("a & b"), "a &amp; b");
    ck_assert_str_eq(escaped("<i>"), "&lt;i&gt;");
    ck_assert_str_eq(escaped("\" onload='x'"), "&quot; onload=&#39;x&#39;");
    ck_assert_str_eq(escaped("&lt;"), "&amp;lt;");
    ck_assert_str_eq(escaped(""), "");
}
END_TEST

START_TEST(letters_of_all_kinds_stay)
{
    ck_assert_str_eq(escaped("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x92\xA5 a\tb\n"),
                     "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x92\xA5 a\tb\n");
}
END_TEST

START_TEST(what_is_no_text_is_shown_as_such)
{
    ck_assert_str_eq(escaped("a\x01\x7F z"), "a\xEF\xBF\xBD\xEF\xBF\xBD z");
    ck_assert_str_eq(escaped("\xFF<\xC3"), "\xEF\xBF\xBD&lt;\xEF\xBF\xBD");
    ck_assert_str_eq(escaped("\xC2\x85"), "\xEF\xBF\xBD");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("html");
    TCase *tests = tcase_create("html");
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, marks_are_text);
    tcase_add_test(tests, letters_of_all_kinds_stay);
    tcase_add_test(tests, what_is_no_text_is_shown_as_such);
    return rig_main(suite);
}
