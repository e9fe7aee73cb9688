/* tests/bench/std.cc -- std::priority_queue under the loads of the benchmark: 16-byte events, nothing can be cancelled.
 * To be moved, an event gets a new number, and the old one is dropped when it comes up. */
#include <queue>
#include <vector>

#include "tests/bench/loads.h"

namespace
{
struct event {
    int64_t time;
    uint32_t id, number;
    bool operator<(const event &other) const
    {
        return time > other.time; // the earliest on top
    }
};

struct std_queue {
    std::priority_queue<event> events;
    std::vector<uint32_t> number; // of each id, the one that counts; empty when nothing is moved
};

void queue_init(std_queue *queue, uint32_t events, int can_move)
{
    queue->number.resize(can_move ? events : 0);
    std::vector<event> room;
    room.reserve(events);
    queue->events = std::priority_queue<event>(std::less<event>(), std::move(room));
}

void queue_foresee(std_queue *, const bench_machine *)
{
}

void queue_fini(std_queue *)
{
}

void queue_push(std_queue *queue, int64_t time, uint32_t id)
{
    queue->events.push({time, id, queue->number.empty() ? 0 : queue->number[id]});
}

void queue_pop(std_queue *queue, int64_t *time, uint32_t *id)
{
    event first = {};
    do {
        first = queue->events.top();
        queue->events.pop();
    } while (!queue->number.empty() && queue->number[first.id] != first.number);
    *time = first.time;
    *id = first.id;
}

void queue_move(std_queue *queue, uint32_t id, int64_t time)
{
    queue->number[id]++;
    queue_push(queue, time, id);
}
void queue_look_ahead(const std_queue *queue, uint32_t id)
{
    __builtin_prefetch(&queue->number[id], 1);
}
} // namespace

#define QUEUE std_queue
#define LOADS bench_std
#include "tests/bench/loads.inc"
