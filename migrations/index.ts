import { type Migration } from 'kysely';
import * as workspaces from './001_workspaces.js';
import * as people from './002_people.js';
import * as auth from './003_auth.js';
import * as mail from './004_mail.js';
import * as requests from './005_requests.js';
import * as plans from './006_plans.js';
import * as quotas from './007_quotas.js';
import * as deals from './008_deals.js';
import * as ledger from './009_ledger.js';
import * as audit from './010_audit.js';
import * as statements from './011_statements.js';
import * as inbox from './012_inbox.js';
import * as crm from './013_crm.js';
import * as exports from './014_exports.js';
import * as billing from './015_billing.js';
import * as changeTriggers from './016_change_triggers.js';
import * as operation from './017_operation.js';
import * as webhookEndpoints from './018_webhook_endpoints.js';
import * as changeRequests from './019_change_requests.js';
import * as fairUse from './020_fair_use.js';
import * as endsOfChangeRequests from './021_ends_of_change_requests.js';
import * as payrollIds from './022_payroll_ids.js';
import * as fairSignIns from './023_fair_sign_ins.js';
import * as rightsOfTables from './024_least_rights.js';
import * as activeVersions from './025_versions_that_were_active.js';
import * as continuedCalculations from './026_continued_calculations.js';
import * as mailState from './027_mail_state.js';
import * as ownerMatches from './028_owner_matches.js';
import * as auditCounts from './029_audit_counts.js';
import * as repeatedRejections from './030_repeated_rejections.js';
import * as keysOfAgents from './031_keys_of_agents.js';
import * as leasesOfJobs from './032_leases_of_jobs.js';
import * as handedAmounts from './033_handed_amounts.js';
import * as absences from './034_absences.js';
import * as unusedLeases from './035_unused_leases.js';
import * as fiscalYears from './036_fiscal_years.js';
import * as ramps from './037_ramps.js';
import * as importHistory from './038_import_history.js';
import * as historiesOfPeople from './039_histories_of_people.js';
import * as dealCredits from './040_deal_credits.js';
import * as payables from './041_payables.js';
import * as employmentHistory from './042_employment_history.js';
import * as reportedSplits from './043_reported_splits.js';
import * as exchangeRates from './044_exchange_rates.js';
import * as payCurrency from './045_pay_currency.js';
import * as dueLanesInOrder from './046_due_lanes_in_order.js';
import * as dealCorrections from './047_deal_corrections.js';
import * as draws from './048_draws.js';
import * as dealHistory from './049_deal_history.js';
import * as feeds from './050_feeds.js';
import * as scim from './051_scim.js';
import * as installation from './052_installation.js';
import * as deletedDraws from './053_deleted_draws.js';
import * as profilesOfPeople from './054_profiles_of_people.js';
import * as refunds from './055_refunds.js';
import * as acceptedExceptions from './056_accepted_exceptions.js';
import * as scheduledImports from './057_scheduled_imports.js';
import * as directory from './058_directory.js';
import * as approvalJobs from './059_approval_jobs.js';
import * as payCurrencyHistory from './060_pay_currency_history.js';
import * as personFields from './061_person_fields.js';
import * as scheduledInvoices from './062_scheduled_invoices.js';
import * as sandboxes from './063_sandboxes.js';
import * as filtersOfPeople from './064_filters_of_people.js';
import * as dealLinks from './065_deal_links.js';
import * as storedJobs from './066_stored_jobs.js';
import * as cutOffAmounts from './067_cut_off_amounts.js';
import * as discrepanciesByCurrency from './068_discrepancies_by_currency.js';
import * as fairScheduledImports from './069_fair_scheduled_imports.js';
import * as ownChanges from './070_own_changes.js';
import * as knownZones from './071_known_zones.js';
import * as auditWork from './072_audit_work.js';
import * as batchesByCurrency from './073_batches_by_currency.js';
import * as linesAndRateTables from './074_lines_and_rate_tables.js';
import * as refundsOfLines from './075_refunds_of_lines.js';
import * as signatures from './076_signatures.js';
import * as adjustmentProposals from './077_adjustment_proposals.js';
import * as planAcceptance from './078_plan_acceptance.js';
import * as approvalReminders from './079_approval_reminders.js';
import * as accounting from './080_accounting.js';
import * as roleFinance from './081_role_finance.js';
import * as accountingPolicies from './082_accounting_policies.js';
import * as oneStoredJob from './083_one_stored_job.js';
import * as importedFacts from './084_imported_facts.js';
import * as roleAuditor from './085_role_auditor.js';

/** Every migration in its order. A released migration never changes; a later one corrects it. */
export const migrations: Readonly<Record<string, Migration>> = {
  '001_workspaces': workspaces,
  '002_people': people,
  '003_auth': auth,
  '004_mail': mail,
  '005_requests': requests,
  '006_plans': plans,
  '007_quotas': quotas,
  '008_deals': deals,
  '009_ledger': ledger,
  '010_audit': audit,
  '011_statements': statements,
  '012_inbox': inbox,
  '013_crm': crm,
  '014_exports': exports,
  '015_billing': billing,
  '016_change_triggers': changeTriggers,
  '017_operation': operation,
  '018_webhook_endpoints': webhookEndpoints,
  '019_change_requests': changeRequests,
  '020_fair_use': fairUse,
  '021_ends_of_change_requests': endsOfChangeRequests,
  '022_payroll_ids': payrollIds,
  '023_fair_sign_ins': fairSignIns,
  '024_least_rights': rightsOfTables,
  '025_versions_that_were_active': activeVersions,
  '026_continued_calculations': continuedCalculations,
  '027_mail_state': mailState,
  '028_owner_matches': ownerMatches,
  '029_audit_counts': auditCounts,
  '030_repeated_rejections': repeatedRejections,
  '031_keys_of_agents': keysOfAgents,
  '032_leases_of_jobs': leasesOfJobs,
  '033_handed_amounts': handedAmounts,
  '034_absences': absences,
  '035_unused_leases': unusedLeases,
  '036_fiscal_years': fiscalYears,
  '037_ramps': ramps,
  '038_import_history': importHistory,
  '039_histories_of_people': historiesOfPeople,
  '040_deal_credits': dealCredits,
  '041_payables': payables,
  '042_employment_history': employmentHistory,
  '043_reported_splits': reportedSplits,
  '044_exchange_rates': exchangeRates,
  '045_pay_currency': payCurrency,
  '046_due_lanes_in_order': dueLanesInOrder,
  '047_deal_corrections': dealCorrections,
  '048_draws': draws,
  '049_deal_history': dealHistory,
  '050_feeds': feeds,
  '051_scim': scim,
  '052_installation': installation,
  '053_deleted_draws': deletedDraws,
  '054_profiles_of_people': profilesOfPeople,
  '055_refunds': refunds,
  '056_accepted_exceptions': acceptedExceptions,
  '057_scheduled_imports': scheduledImports,
  '058_directory': directory,
  '059_approval_jobs': approvalJobs,
  '060_pay_currency_history': payCurrencyHistory,
  '061_person_fields': personFields,
  '062_scheduled_invoices': scheduledInvoices,
  '063_sandboxes': sandboxes,
  '064_filters_of_people': filtersOfPeople,
  '065_deal_links': dealLinks,
  '066_stored_jobs': storedJobs,
  '067_cut_off_amounts': cutOffAmounts,
  '068_discrepancies_by_currency': discrepanciesByCurrency,
  '069_fair_scheduled_imports': fairScheduledImports,
  '070_own_changes': ownChanges,
  '071_known_zones': knownZones,
  '072_audit_work': auditWork,
  '073_batches_by_currency': batchesByCurrency,
  '074_lines_and_rate_tables': linesAndRateTables,
  '075_refunds_of_lines': refundsOfLines,
  '076_signatures': signatures,
  '077_adjustment_proposals': adjustmentProposals,
  '078_plan_acceptance': planAcceptance,
  '079_approval_reminders': approvalReminders,
  '080_accounting': accounting,
  '081_role_finance': roleFinance,
  '082_accounting_policies': accountingPolicies,
  '083_one_stored_job': oneStoredJob,
  '084_imported_facts': importedFacts,
  '085_role_auditor': roleAuditor,
};
