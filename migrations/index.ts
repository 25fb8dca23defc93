import { type Migration } from 'kysely';
import * as foundation from './001_foundation.js';
import * as people from './002_people.js';
import * as platform from './003_platform.js';
import * as messages from './004_messages.js';
import * as agents from './005_agents.js';
import * as access from './006_access.js';
import * as installation from './007_installation.js';
import * as plans from './008_plans.js';
import * as rates from './009_rates.js';
import * as deals from './010_deals.js';
import * as ledger from './011_ledger.js';
import * as audit from './012_audit.js';
import * as statements from './013_statements.js';
import * as approvals from './014_approvals.js';
import * as pay from './015_pay.js';
import * as exports from './016_exports.js';
import * as commissions from './017_commissions.js';
import * as finance from './018_finance.js';
import * as crm from './019_crm.js';
import * as imports from './020_imports.js';
import * as billing from './021_billing.js';
import * as writableWorkspaces from './022_writable_workspaces.js';
import * as dealsAndEvents from './023_deals_and_events.js';
import * as peopleFacts from './024_people_facts.js';
import * as books from './025_books.js';
import * as agentClients from './026_agent_clients.js';

/** Every migration in its order. A released migration never changes; a later one corrects it. */
export const migrations: Readonly<Record<string, Migration>> = {
  '001_foundation': foundation,
  '002_people': people,
  '003_platform': platform,
  '004_messages': messages,
  '005_agents': agents,
  '006_access': access,
  '007_installation': installation,
  '008_plans': plans,
  '009_rates': rates,
  '010_deals': deals,
  '011_ledger': ledger,
  '012_audit': audit,
  '013_statements': statements,
  '014_approvals': approvals,
  '015_pay': pay,
  '016_exports': exports,
  '017_commissions': commissions,
  '018_finance': finance,
  '019_crm': crm,
  '020_imports': imports,
  '021_billing': billing,
  '022_writable_workspaces': writableWorkspaces,
  '023_deals_and_events': dealsAndEvents,
  '024_people_facts': peopleFacts,
  '025_books': books,
  '026_agent_clients': agentClients,
};
