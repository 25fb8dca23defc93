import { billingConfig } from '../billing/billing-config.js';
import { crmConfig } from '../crm/connections/crm-config.js';
import { type Config, describeSettings, platformSettings, readSettings } from '../platform/config.js';

/** Every group of settings, in the order of docs/configuration.md. */
const groups = [platformSettings, crmConfig, billingConfig];

export function readConfig(environment: NodeJS.ProcessEnv): Config {
  return readSettings(groups, environment);
}

/** Every setting with its default, description and example. */
export function settingsTable(): ReturnType<typeof describeSettings> {
  return describeSettings(groups);
}
