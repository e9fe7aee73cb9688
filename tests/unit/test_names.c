#include "tools/faultline/names.h"

#include <string.h>

#include "tests/rig.h"

static struct sim_error why;

static void expect_text(const char *text, const char *canonical)
{
    char once[CONFIG_TEXT_MAX], twice[CONFIG_TEXT_MAX];
    ck_assert_msg(names_check(text, once, &why) == 0, "%s", why.text);
    ck_assert_str_eq(once, canonical);
    ck_assert_int_eq(names_check(once, twice, &why), 0);
    ck_assert_str_eq(twice, canonical);
}

START_TEST(names_have_one_canonical_text)
{
    expect_text("Human Error", "Human Error");
    expect_text("a, b", "a, b");
    expect_text("[a]", "[\"a\"]");
    expect_text("[ a b ,\"c, \\\"d\\\"\" , e]", "[\"a b\", \"c, \\\"d\\\"\", \"e\"]");
}
END_TEST

START_TEST(names_are_read)
{
    struct names names;
    ck_assert_int_eq(names_read("[a, \"b ]\"]", &names, &why), 0);
    ck_assert(names.is_list && names.count == 2);
    ck_assert_str_eq(names.name[1], "b ]");
    ck_assert_int_eq(names_read("a, b", &names, &why), 0);
    ck_assert(!names.is_list && names.count == 1);
    ck_assert_str_eq(names.name[0], "a, b");
}
END_TEST

START_TEST(other_texts_are_refused)
{
    static const char *const bad[] = {"[",     "[]",  "[a",     "[a,]",  "[a]]",  "[a] x",
                                      "[[a]]", "[,]", "[\"\"]", "[\"a]", "[a][b]"};
    struct names names = {.count = 7};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert_msg(names_read(bad[i], &names, &why) != 0 && names.count == 7, "%s", bad[i]);
    ck_assert_str_eq(why.text, "'[a][b]': not a list of names; expected up to 32 of them such as [a, b]");
}
END_TEST

START_TEST(limits_of_names)
{
    char text[CONFIG_TEXT_MAX] = "[a", canonical[CONFIG_TEXT_MAX] = "kept";
    struct names names;
    for (int i = 1; i < NAMES_MAX; i++)
        (void)strcat(text, ",a");
    (void)strcat(text, "]");
    ck_assert_int_eq(names_read(text, &names, &why), 0);
    ck_assert_int_eq(names.count, NAMES_MAX);
    text[strlen(text) - 1] = '\0';
    ck_assert_int_ne(names_read(strcat(text, ",a]"), &names, &why), 0);
    memset(text, '\\', sizeof text); /* each takes two bytes when written */
    text[0] = '[';
    (void)strcpy(text + sizeof text - 2, "]");
    ck_assert_int_eq(names_read(text, &names, &why), 0);
    ck_assert_int_ne(names_check(text, canonical, &why), 0);
    ck_assert_str_eq(canonical, "kept");
    ck_assert_str_eq(why.text, "the names are too long; allowed: up to 255 bytes");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("names");
    TCase *tcase = tcase_create("names");
    tcase_add_test(tcase, names_have_one_canonical_text);
    tcase_add_test(tcase, names_are_read);
    tcase_add_test(tcase, other_texts_are_refused);
    tcase_add_test(tcase, limits_of_names);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
