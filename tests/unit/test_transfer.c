/* Transfers over links whose rate changes: by hand, and against an oracle that sends nanosecond by nanosecond. */
#include "models/transfer.h"

#include "tests/chance.h"

/* Nothing changes: as long as at full rate, or so many times longer, rounded up. */
START_TEST(one_rate)
{
    ck_assert_int_eq(transfer_begin(5, 100, TRANSFER_FULL).end, 105);
    ck_assert_int_eq(transfer_begin(5, 100, transfer_rate(1)).end, 105);
    ck_assert_int_eq(transfer_begin(5, 100, transfer_rate(2)).end, 205);
    ck_assert_int_eq(transfer_begin(5, 0, transfer_rate(1000)).end, 5);
    ck_assert_int_eq(transfer_begin(0, 1, transfer_rate(2.5)).end, 3);
    ck_assert_int_eq(transfer_rate(1000), TRANSFER_FULL / 1000);
    ck_assert_int_eq(transfer_rate(1e12), 1);
}
END_TEST

/* 100 from 0: 40 by 40, 20 more by 80 at half the rate, a tenth of a ns each ns for 100 to 180, the last 30 by 210. */
START_TEST(by_hand)
{
    const int64_t half = transfer_rate(2), tenth = transfer_rate(10);
    struct transfer transfer = transfer_begin(0, 100, TRANSFER_FULL);
    transfer_change(&transfer, 40, TRANSFER_FULL, half);
    ck_assert_int_eq(transfer.end, 160);
    transfer_change(&transfer, 80, half, tenth);
    ck_assert_int_eq(transfer.end, 480);
    transfer_change(&transfer, 180, tenth, TRANSFER_FULL);
    ck_assert_int_eq(transfer.end, 210);
    transfer_change(&transfer, 210, TRANSFER_FULL, half); /* over */
    ck_assert_int_eq(transfer.end, 210);
}
END_TEST

/* Before it begins a change is that of its rate, and the part of a nanosecond that is left counts. */
START_TEST(edges)
{
    struct transfer transfer = transfer_begin(50, 10, TRANSFER_FULL);
    transfer_change(&transfer, 20, TRANSFER_FULL, transfer_rate(4));
    ck_assert_int_eq(transfer.end, 90);
    transfer_change(&transfer, 20, transfer_rate(4), TRANSFER_FULL);
    ck_assert_int_eq(transfer.end, 60);
    transfer = transfer_begin(0, 1, transfer_rate(3));
    transfer_change(&transfer, 1, transfer_rate(3), transfer_rate(4)); /* two thirds of it left */
    ck_assert_int_eq(transfer.end, 4);
    transfer = transfer_begin(0, SIM_TIME_NEVER, transfer_rate(2));
    ck_assert(transfer.end == SIM_TIME_NEVER);
    transfer = transfer_begin(SIM_TIME_NEVER, 5, TRANSFER_FULL);
    ck_assert(transfer.end == SIM_TIME_NEVER);
}
END_TEST

/* The first nanosecond at which rate x time is all: no drift in thousands of changes. */
START_TEST(as_sent_nanosecond_by_nanosecond)
{
    chance_state = 31 + (uint64_t)_i;
    for (int n = 0; n < 200; n++) {
        sim_time from = chance(50), full = chance(20000), now = 0, next = 1 + chance(9);
        int64_t rate = transfer_rate(1 + (double)chance(3000) / 700);
        sim_chip_time left = (sim_chip_time)full * TRANSFER_FULL;
        struct transfer transfer = transfer_begin(from, full, rate);
        for (; now < from || left > 0; now++) {
            if (now == next) {
                int64_t other = chance(2) ? TRANSFER_FULL : transfer_rate(1 + (double)chance(3000) / 700);
                transfer_change(&transfer, now, rate, other);
                rate = other;
                next = now + 1 + chance(9);
            }
            left -= now >= from ? rate : 0;
        }
        ck_assert_int_eq(transfer.end, now);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("transfer");
    TCase *tcase = tcase_create("transfer");
    tcase_add_test(tcase, one_rate);
    tcase_add_test(tcase, by_hand);
    tcase_add_test(tcase, edges);
    tcase_add_loop_test(tcase, as_sent_nanosecond_by_nanosecond, 0, 3);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
