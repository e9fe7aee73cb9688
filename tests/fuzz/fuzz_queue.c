/* The queue and its ladder: bytes become orders to schedule, move, cancel and take, with times of many shapes; what
 * leaves is compared with a sorted row. A run of one order fills the ladder from few bytes. */
#include "tests/fuzz/fuzz.h"
#include "tests/queue_model.h"

enum { ACTS_MAX = 1500 };

static int acts;

/* Not before the clock: in some nanoseconds, at once, at a power of two, at the end of time. */
static sim_time time_of(struct fuzz_bytes *bytes, uint8_t shape, int turn)
{
    sim_time left = SIM_TIME_NEVER - queue_model.origin.now, ahead = 0;
    switch (shape % 4) {
    case 0:
        ahead = fuzz_byte(bytes);
        break;
    case 1:
        ahead = (sim_time)(fuzz_number(bytes, 3)) * (1 + turn);
        break;
    case 2:
        ahead = ((sim_time)1 << fuzz_byte(bytes) % 62) + turn % 3;
        break;
    default:
        ahead = left - fuzz_byte(bytes);
        break;
    }
    return queue_model.origin.now + (ahead < 0 ? 0 : ahead < left ? ahead : left);
}

static void schedule(struct fuzz_bytes *bytes, uint8_t shape, int turn)
{
    uint8_t who = (uint8_t)(fuzz_byte(bytes) + turn);
    queue_model_schedule(time_of(bytes, shape, turn), who % 16, who / 16);
}

static int place_of(struct fuzz_bytes *bytes)
{
    return (int)(fuzz_number(bytes, 2) % (uint64_t)queue_model.pending);
}

static void move(struct fuzz_bytes *bytes, uint8_t shape, int turn)
{
    int place = place_of(bytes);
    queue_model_move(place, time_of(bytes, shape, turn));
}

/* An order: two bits of what, two of the shape of its time, and how often. */
static void act(struct fuzz_bytes *bytes)
{
    uint8_t order = fuzz_byte(bytes), shape = order >> 2;
    int turns = order >> 4 == 15 ? 1 + 4 * fuzz_byte(bytes) : 1 + (order >> 4) % 4;
    if (shape % 8 == 0)
        queue_model_look();
    for (int turn = 0; turn < turns && acts < ACTS_MAX; turn++, acts++) {
        struct fuzz_bytes same = *bytes; /* a row of them shares its bytes */
        struct fuzz_bytes *from = turn + 1 < turns ? &same : bytes;
        if (order % 4 == 0)
            schedule(from, shape, turn);
        else if (order % 4 == 1 && queue_model.pending > 0)
            queue_model_cancel(place_of(from));
        else if (order % 4 == 2 && queue_model.pending > 0)
            move(from, shape, turn);
        else
            queue_model_take();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, data + size};
    queue_model_start();
    for (acts = 0; bytes.at < bytes.end && acts < ACTS_MAX;)
        act(&bytes);
    queue_model_finish();
    return 0;
}
