/* models/branch.h -- a run that is split: one past, several ways on.
 *
 * At the end of an instant in which learners came closer to standing still, or further from it, whoever asked (struct
 * run_branches) may send the run into a branch: its random numbers have another address from then on. What had been
 * drawn but has not happened is drawn anew where its law given the past is known: the next failure of a source of a
 * constant rate, and when slices are back that nobody has to be followed for. Otherwise all branches would meet the
 * same next failures, few and far between as these are. What stays is right, too, but the branches share it: failures
 * to come of chips that age, preemptions, the work of crews, pauses under way.
 *
 * Units: ns.
 * Ownership: nothing is allocated; the number of the branch is part of the origin of the run.
 * Errors: none.
 */
#ifndef MODELS_BRANCH_H
#define MODELS_BRANCH_H

struct world;

/* Learners began or ceased to step, or slices were lost or came back: look at the end of this instant. Without struct
 * run_branches nothing is done. */
void branch_on_change(struct world *world);

#endif
