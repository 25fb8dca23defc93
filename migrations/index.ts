import { type Kysely, type Migration } from 'kysely';
import * as foundation from './2026_11_21_01_foundation.js';
import * as ledger from './2026_11_21_02_ledger.js';
import * as statements from './2026_11_21_03_statements.js';
import * as auth from './2026_11_21_04_auth.js';
import * as conventions from './2026_11_21_05_conventions.js';
import * as integrations from './2026_11_21_06_integrations.js';
import * as crm from './2026_11_21_07_crm.js';
import * as documents from './2026_11_21_08_documents.js';
import * as speed from './2026_11_21_10_speed.js';
import * as billing from './2026_11_21_11_billing.js';
import * as operation from './2026_11_21_20_operation.js';
import * as reversedRows from './2026_11_21_21_reversed_rows.js';
import * as dealVersions from './2026_11_21_22_deal_versions.js';
import * as requestsTogether from './2026_11_21_23_requests_together.js';
import * as fetchedDeals from './2026_11_21_24_fetched_deals.js';
import * as periodsOfMonths from './2026_11_21_25_periods_of_months.js';
import * as uniqueRevisions from './2026_11_21_26_unique_revisions.js';
import * as answerRevisions from './2026_11_22_27_answer_revisions.js';
import * as roomForChanges from './2026_11_22_28_room_for_changes.js';
import * as versionTimeline from './2026_11_22_28_version_timeline.js';
import * as truedUpRows from './2026_11_22_29_trued_up_rows.js';
import * as approvers from './2026_11_22_30_approvers.js';
import * as numberBounds from './2026_11_22_31_number_bounds.js';
import * as teamScope from './2026_11_22_32_team_scope.js';
import * as payrollHandovers from './2026_11_22_33_payroll_handovers.js';
import * as dealFilters from './2026_11_22_36_deal_filters.js';

/** Every migration, oldest first. Forward only: a released one is never edited, the next one mends it. */
export const migrations: Readonly<Record<string, Migration>> = {
  '2026_11_21_01_foundation': { up: foundation.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_21_02_ledger': { up: ledger.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_21_03_statements': { up: statements.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_21_04_auth': { up: auth.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_21_05_conventions': { up: conventions.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_21_06_integrations': { up: integrations.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_21_07_crm': { up: crm.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_21_08_documents': { up: documents.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_21_10_speed': { up: speed.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_21_11_billing': { up: billing.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_21_20_operation': { up: operation.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_21_21_reversed_rows': { up: reversedRows.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_21_22_deal_versions': { up: dealVersions.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_21_23_requests_together': { up: requestsTogether.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_21_24_fetched_deals': { up: fetchedDeals.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_21_25_periods_of_months': { up: periodsOfMonths.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_21_26_unique_revisions': { up: uniqueRevisions.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_22_27_answer_revisions': { up: answerRevisions.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_22_28_room_for_changes': { up: roomForChanges.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_22_28_version_timeline': { up: versionTimeline.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_22_29_trued_up_rows': { up: truedUpRows.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_22_30_approvers': { up: approvers.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_22_31_number_bounds': { up: numberBounds.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_22_32_team_scope': { up: teamScope.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_22_33_payroll_handovers': { up: payrollHandovers.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_22_36_deal_filters': { up: dealFilters.up as (db: Kysely<unknown>) => Promise<void> },
};
