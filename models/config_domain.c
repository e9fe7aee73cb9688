/* config_domain.c -- levels of the fleet, and sources that take whole domains out. */
#include <stdio.h>
#include <string.h>

#include "models/config_internal.h"
#include "models/domain.h"
#include "models/maintenance.h"

static const struct config_level *find_level(const struct config *config, const char *name)
{
    for (int i = 0; i < config->level_count; i++)
        if (strcmp(config->level[i].name, name) == 0)
            return &config->level[i];
    return NULL;
}

int64_t config_domain_chips(const struct config *config, const struct config_source *source)
{
    if (source->domain_level[0] != '\0')
        return find_level(config, source->domain_level)->chips;
    return source->domain_chips > 0 ? source->domain_chips : config->chips;
}

/* Every domain lies within one of each larger level. */
bool config_check_levels(const struct config *config, struct config_fault *ret)
{
    char key[CONFIG_KEY_MAX];
    for (int i = 0; i < config->level_count; i++)
        for (int k = 0; k < config->level_count; k++) {
            const struct config_level *large = &config->level[i], *small = &config->level[k];
            (void)snprintf(key, sizeof key, "fleet.levels.%s", large->name);
            if (large->chips > small->chips && large->chips % small->chips != 0)
                FAULT(key, "%lld chips are no whole multiple of the %lld of fleet.levels.%s", (long long)large->chips,
                      (long long)small->chips, small->name);
        }
    return true;
}

bool config_check_domain(const struct config *config, const struct config_source *source, struct config_fault *ret)
{
    char key[CONFIG_KEY_MAX];
    bool has_level = source->domain_level[0] != '\0';
    (void)snprintf(key, sizeof key, "failures.%s.domain", source->name);
    if (has_level == (source->domain_chips > 0) && (has_level || source->kind == CONFIG_SOURCE_DOMAIN))
        FAULT(key, "one of the two is needed: chips, or level");
    (void)snprintf(key, sizeof key, "failures.%s.domain.level", source->name);
    if (has_level && !find_level(config, source->domain_level))
        FAULT(key, "there is no level '%s' in fleet.levels", source->domain_level);
    return config_check_scope(config, source, ret);
}

/* The works of a turn end before the next one begins. */
static bool check_turn(const struct config *config, const struct config_source *source, struct config_fault *ret)
{
    char key[CONFIG_KEY_MAX];
    struct fleet fleet;
    struct scope scope;
    fleet_init(&fleet, config);
    scope_init(&scope, config, &fleet, source);
    int64_t domains = domain_total_in_scope(config, source, &scope);
    sim_time rolling = maintenance_rolling_ns(source), room = source->calendar_every_ns - source->calendar_lasts_ns;
    (void)snprintf(key, sizeof key, "failures.%s.calendar.every", source->name);
    if (domains > 1 && domains - 1 > (room - 1) / rolling)
        FAULT(key, "too short: %lld domains, one every %.6g s, take longer", (long long)domains,
              sim_time_seconds(rolling));
    return true;
}

bool config_check_maintenance(const struct config *config, const struct config_source *source, struct config_fault *ret)
{
    char key[CONFIG_KEY_MAX];
    bool has_domain = source->domain_level[0] != '\0' || source->domain_chips > 0;
    if (!config_check_domain(config, source, ret))
        return false;
    (void)snprintf(key, sizeof key, "failures.%s.rolling", source->name);
    if (source->rolling_ns > 0 && !has_domain)
        FAULT(key, "it means nothing here: without domain everything is taken out at once");
    (void)snprintf(key, sizeof key, "failures.%s.calendar.lasts", source->name);
    if (source->calendar_lasts_ns >= source->calendar_every_ns)
        FAULT(key, "it must be shorter than the period of the calendar (every)");
    return config_check_calendar(source, ret) && check_turn(config, source, ret);
}
