#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/scenario_internal.h"

/* What a method makes of a key that is not given: the value `text`, or the one of another key. */
struct preset {
    enum config_method method;
    const char *key;
    const char *text;
    const char *other;
};

/* DiLoCo and Streaming DiLoCo wait for everybody; config_check refuses a value that contradicts them. */
static const struct preset presets[] = {
    {CONFIG_DILOCO, "syncer.quorum", NULL, "learners.count"},
    {CONFIG_DILOCO, "syncer.grace", "off", NULL},
    {CONFIG_DILOCO, "syncer.fragments", "1", NULL},
    {CONFIG_DILOCO, "syncer.overlap", "0", NULL},
    {CONFIG_STREAMING_DILOCO, "syncer.quorum", NULL, "learners.count"},
    {CONFIG_STREAMING_DILOCO, "syncer.grace", "off", NULL},
};

static const struct preset *find_preset(const struct keys_key *key, enum config_method method)
{
    for (size_t i = 0; i < sizeof presets / sizeof presets[0]; i++)
        if (presets[i].method == method && strcmp(presets[i].key, key->path) == 0)
            return &presets[i];
    return NULL;
}

static const char *value_of(const char *path, const struct scenario *scenario, char ret[static VALUE_TEXT_MAX])
{
    const struct keys_key *key;
    enum keys_match match = keys_find(path, &key);
    SIM_ASSERT(NULL, match == KEYS_KEY);
    keys_write(key, scenario, ret);
    return ret;
}

static const char *sum_of_tensors(const struct config *config, char ret[static VALUE_TEXT_MAX])
{
    value_write_count((int64_t)config_tensor_sum(config), ret);
    return ret;
}

/* Rounds that come once a step. */
static const char *rounds_of_every(const struct config *config, char ret[static VALUE_TEXT_MAX])
{
    sim_time steps = config->checkpoint_every_ns / config->step_time_ns;
    value_write_count(steps * config->step_time_ns < config->checkpoint_every_ns ? steps + 1 : steps, ret);
    return ret;
}

const char *scenario_default(const struct keys_key *key, const struct scenario *scenario,
                             char ret[static VALUE_TEXT_MAX], enum scenario_origin *ret_origin)
{
    const struct preset *preset = find_preset(key, scenario->config.method);
    *ret_origin = SCENARIO_METHOD;
    if (preset != NULL)
        return preset->text != NULL ? preset->text : value_of(preset->other, scenario, ret);
    if (strcmp(key->path, "network.parameters") == 0 && scenario->config.tensor_count > 0) {
        *ret_origin = SCENARIO_TENSORS;
        return sum_of_tensors(&scenario->config, ret);
    }
    if (strcmp(key->path, "checkpoint.every_rounds") == 0) {
        *ret_origin = SCENARIO_EVERY;
        return rounds_of_every(&scenario->config, ret);
    }
    *ret_origin = SCENARIO_DEFAULT;
    return key->default_key != NULL ? value_of(key->default_key, scenario, ret) : key->default_text;
}
