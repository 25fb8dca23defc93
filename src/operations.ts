import { beginOidcLogin } from './access/auth/commands/begin-oidc-login.js';
import { confirmSession } from './access/auth/commands/confirm-session.js';
import { finishOidcLogin } from './access/auth/commands/finish-oidc-login.js';
import { logOut } from './access/auth/commands/log-out.js';
import { openStartLink } from './access/auth/commands/open-start-link.js';
import { sendCode } from './access/auth/commands/send-code.js';
import { setUpWorkspace } from './access/auth/commands/set-up-workspace.js';
import { verifyCode } from './access/auth/commands/verify-code.js';
import { getProfile } from './access/auth/queries/get-profile.js';
import { getAuthStatus } from './access/auth/queries/get-status.js';
import { deleteIdentityProvider } from './access/installation/commands/delete-identity-provider.js';
import { deleteMailServer } from './access/installation/commands/delete-mail-server.js';
import { saveIdentityProvider } from './access/installation/commands/save-identity-provider.js';
import { sendTestMail } from './access/installation/commands/send-test-mail.js';
import { setMailServer } from './access/installation/commands/set-mail-server.js';
import { getInstallation } from './access/installation/queries/get-installation.js';
import { setSavedViews } from './access/saved-views/commands/set-saved-views.js';
import { listSavedViews } from './access/saved-views/queries/list-saved-views.js';
import { createConnectionToken } from './access/workspaces/commands/create-connection-token.js';
import { createIntegrationKey } from './access/workspaces/commands/create-integration-key.js';
import { deleteConnectionToken } from './access/workspaces/commands/delete-connection-token.js';
import { previewWorkspace } from './access/workspaces/commands/preview-workspace.js';
import { revokeIntegrationKey } from './access/workspaces/commands/revoke-integration-key.js';
import { rotateWorkspaceKey } from './access/workspaces/commands/rotate-workspace-key.js';
import { updateWorkspace } from './access/workspaces/commands/update-workspace.js';
import { getRevision } from './access/workspaces/queries/get-revision.js';
import { getWorkspace } from './access/workspaces/queries/get-workspace.js';
import { getWorkspaceKey } from './access/workspaces/queries/get-workspace-key.js';
import { listConnectionTokens } from './access/workspaces/queries/list-connection-tokens.js';
import { listIntegrationKeys } from './access/workspaces/queries/list-integration-keys.js';
import { whoAmI } from './access/workspaces/queries/who-am-i.js';
import { decideAgentRequest } from './agents/access/commands/decide-agent-request.js';
import { disconnectAgent } from './agents/access/commands/disconnect-agent.js';
import { getAgentRequest } from './agents/access/queries/get-agent-request.js';
import { listAgents } from './agents/access/queries/list-agents.js';
import { decideChangeRequest } from './agents/change-requests/commands/decide-change-request.js';
import { previewChangeRequest } from './agents/change-requests/commands/preview-change-request.js';
import { listChangeRequests } from './agents/change-requests/queries/list-change-requests.js';
import { exportAuditLog } from './audit/queries/export-audit-log.js';
import { listAuditEntries } from './audit/queries/list-audit-entries.js';
import { listAuditLogs } from './audit/queries/list-audit-logs.js';
import { receiveBillingEvent } from './billing/commands/receive-billing-event.js';
import { acceptException } from './commissions/commands/accept-exception.js';
import { cleanupCommissions } from './commissions/commands/cleanup-commissions.js';
import { deleteAcceptedException } from './commissions/commands/delete-accepted-exception.js';
import { recalculateCommissions } from './commissions/commands/recalculate-commissions.js';
import { recordVisit } from './commissions/commands/record-visit.js';
import { resetCommissions } from './commissions/commands/reset-commissions.js';
import { explainCommission } from './commissions/queries/explain-commission.js';
import { getCommissions, getCommissionsDashboard } from './commissions/queries/get-commissions.js';
import { getForecast } from './commissions/queries/get-forecast.js';
import { getPayCalendar } from './commissions/queries/get-pay-calendar.js';
import { getRecalculationJob } from './commissions/queries/get-recalculation-job.js';
import { getUpdates } from './commissions/queries/get-updates.js';
import { listCommissionEvents } from './commissions/queries/list-commission-events.js';
import { listCommissionExceptions } from './commissions/queries/list-commission-exceptions.js';
import { listCommissionPeriods } from './commissions/queries/list-commission-periods.js';
import { listFailedCalculations } from './commissions/queries/list-failed-calculations.js';
import { listRecalculationJobs } from './commissions/queries/list-recalculation-jobs.js';
import { simulateCommissions } from './commissions/queries/simulate-commissions.js';
import { beginCrmaConnect, beginCrmbConnect, beginCrmcConnect } from './crm/connections/commands/begin-crm-connect.js';
import { connectCrma, connectCrmb, connectCrmc } from './crm/connections/commands/connect-crm.js';
import { disconnectCrma, disconnectCrmb, disconnectCrmc } from './crm/connections/commands/disconnect-crm.js';
import { rotateCrmcSecret } from './crm/connections/commands/rotate-crmc-secret.js';
import { setCrmSettings } from './crm/connections/commands/set-crm-settings.js';
import { setCrmcSync } from './crm/connections/commands/set-crmc-sync.js';
import { updateIntegration } from './crm/connections/commands/update-integration.js';
import { getCrmSettings } from './crm/connections/queries/get-crm-settings.js';
import { listIntegrations } from './crm/connections/queries/list-integrations.js';
import { receiveCrma } from './crm/deliveries/commands/receive-crma.js';
import { receiveCrmb } from './crm/deliveries/commands/receive-crmb.js';
import { receiveCrmc } from './crm/deliveries/commands/receive-crmc.js';
import { syncCommissions } from './crm/sync/commands/sync-commissions.js';
import { syncReps } from './crm/sync/commands/sync-reps.js';
import { listCrmSyncs } from './crm/sync/queries/list-crm-syncs.js';
import { checkWriteBack } from './crm/write-back/commands/check-write-back.js';
import { getWriteBack } from './crm/write-back/queries/get-write-back.js';
import { deleteDeal } from './deals/commands/delete-deal.js';
import { deleteDealCredits } from './deals/commands/delete-deal-credits.js';
import { deleteDealLines } from './deals/commands/delete-deal-lines.js';
import { deleteDeals } from './deals/commands/delete-deals.js';
import { dismissCorrectionConflicts } from './deals/commands/dismiss-correction-conflicts.js';
import { endDealCorrections } from './deals/commands/end-deal-corrections.js';
import { importDealCredits } from './deals/commands/import-deal-credits.js';
import { importDealLines } from './deals/commands/import-deal-lines.js';
import { importDeals } from './deals/commands/import-deals.js';
import { matchDealOwners } from './deals/commands/match-deal-owners.js';
import { putDeal } from './deals/commands/put-deal.js';
import { setDealCredits } from './deals/commands/set-deal-credits.js';
import { setDealLines } from './deals/commands/set-deal-lines.js';
import { createCreditRule } from './deals/credit-rules/commands/create-credit-rule.js';
import { deleteCreditRule } from './deals/credit-rules/commands/delete-credit-rule.js';
import { updateCreditRule } from './deals/credit-rules/commands/update-credit-rule.js';
import { listCreditRules } from './deals/credit-rules/queries/list-credit-rules.js';
import { saveFieldMapping } from './deals/fields/commands/save-field-mapping.js';
import { autoMatchFields } from './deals/fields/queries/auto-match-fields.js';
import { getFieldMapping } from './deals/fields/queries/get-field-mapping.js';
import { listFieldOptions } from './deals/fields/queries/list-field-options.js';
import { listFieldAttributes, listFields } from './deals/fields/queries/list-fields.js';
import { getDeal } from './deals/queries/get-deal.js';
import { getDealCredits } from './deals/queries/get-deal-credits.js';
import { getDealLines } from './deals/queries/get-deal-lines.js';
import { listDealChanges } from './deals/queries/list-deal-changes.js';
import { listDealCorrections } from './deals/queries/list-deal-corrections.js';
import { listDealHistory } from './deals/queries/list-deal-history.js';
import { listDealOwners } from './deals/queries/list-deal-owners.js';
import { listDeals } from './deals/queries/list-deals.js';
import { deleteRefund } from './deals/refunds/commands/delete-refund.js';
import { importRefunds } from './deals/refunds/commands/import-refunds.js';
import { putRefund } from './deals/refunds/commands/put-refund.js';
import { waiveRefund } from './deals/refunds/commands/waive-refund.js';
import { getRefund } from './deals/refunds/queries/get-refund.js';
import { listRefunds } from './deals/refunds/queries/list-refunds.js';
import { createEvidence } from './exports/commands/create-evidence.js';
import { exportPerson } from './exports/commands/export-person.js';
import { exportStatement } from './exports/commands/export-statement.js';
import { exportTeamPdf, exportTeamXlsx, exportTeamZip } from './exports/commands/export-team-file.js';
import { recordPayrollHandover } from './exports/commands/record-payroll-handover.js';
import { exportAcceptances } from './exports/queries/export-acceptances.js';
import { exportPlanDocument } from './exports/queries/export-plan-document.js';
import { exportTeamCsv } from './exports/queries/export-team-csv.js';
import { getExportFile } from './exports/queries/get-export-file.js';
import { getExportJob } from './exports/queries/get-export-job.js';
import { getHandoverJob } from './exports/queries/get-handover-job.js';
import { listExportJobs } from './exports/queries/list-export-jobs.js';
import { listHandoverJobs } from './exports/queries/list-handover-jobs.js';
import { listPayrollHandovers } from './exports/queries/list-payroll-handovers.js';
import { deleteContract, getContract, putContract } from './finance/commands/change-contract.js';
import { deleteImpairment, putImpairment } from './finance/commands/change-impairment.js';
import {
  cancelAccountingPreparation,
  closeAccountingMonth,
  prepareAccountingMonth,
  recordPostedJournals,
  reopenAccountingMonth,
} from './finance/commands/change-month.js';
import { approvePolicy, proposePolicy, withdrawPolicy } from './finance/commands/change-policy.js';
import { approveWriteOff, proposeWriteOff, withdrawWriteOff } from './finance/commands/change-write-off.js';
import { importContracts } from './finance/commands/import-contracts.js';
import { importEstimates } from './finance/commands/import-estimates.js';
import { importOpeningLots } from './finance/commands/import-opening-lots.js';
import { importRepEntities } from './finance/commands/import-rep-entities.js';
import { importWriteOffs } from './finance/commands/import-write-offs.js';
import { putEntity } from './finance/commands/put-entity.js';
import { putEstimates } from './finance/commands/put-estimates.js';
import { getRepEntities, setRepEntities } from './finance/commands/set-rep-entities.js';
import { exportJournals } from './finance/queries/export-journals.js';
import { exportLiability } from './finance/queries/export-liability.js';
import { getAccounting } from './finance/queries/get-accounting.js';
import { getAccountingMonth } from './finance/queries/get-accounting-month.js';
import { getContractCosts } from './finance/queries/get-contract-costs.js';
import { getLiability } from './finance/queries/get-liability.js';
import { getPreparationJob } from './finance/queries/get-preparation-job.js';
import { getRenewalTest } from './finance/queries/get-renewal-test.js';
import { listAccountingMonths } from './finance/queries/list-accounting-months.js';
import { listAccountingPolicies } from './finance/queries/list-accounting-policies.js';
import { listEstimates } from './finance/queries/list-estimates.js';
import { listImpairments } from './finance/queries/list-impairments.js';
import { listJournalLines } from './finance/queries/list-journal-lines.js';
import { listOpeningLots } from './finance/queries/list-opening-lots.js';
import { listAccountingWriteOffs } from './finance/queries/list-write-offs.js';
import { takeBackImport } from './imports/commands/take-back-import.js';
import { getImport } from './imports/queries/get-import.js';
import { listImports } from './imports/queries/list-imports.js';
import { createWebhookEndpoint } from './outgoing/events/commands/create-webhook-endpoint.js';
import { deleteWebhookEndpoint } from './outgoing/events/commands/delete-webhook-endpoint.js';
import { replayWebhookDelivery } from './outgoing/events/commands/replay-webhook-delivery.js';
import { rotateWebhookSecret } from './outgoing/events/commands/rotate-webhook-secret.js';
import { testWebhookEndpoint } from './outgoing/events/commands/test-webhook-endpoint.js';
import { updateWebhookEndpoint } from './outgoing/events/commands/update-webhook-endpoint.js';
import { listWebhookDeliveries } from './outgoing/events/queries/list-webhook-deliveries.js';
import { listWebhookEndpoints } from './outgoing/events/queries/list-webhook-endpoints.js';
import { setMailPreferences } from './outgoing/notifications/commands/set-mail-preferences.js';
import { getMailPreferences } from './outgoing/notifications/queries/get-mail-preferences.js';
import { createDraw } from './pay/draws/commands/create-draw.js';
import { deleteDraw } from './pay/draws/commands/delete-draw.js';
import { forgiveDraw } from './pay/draws/commands/forgive-draw.js';
import { importDraws } from './pay/draws/commands/import-draws.js';
import { updateDraw } from './pay/draws/commands/update-draw.js';
import { listDraws } from './pay/draws/queries/list-draws.js';
import { deleteInvoice, putInvoice } from './pay/invoices/commands/change-invoice.js';
import { importInvoices } from './pay/invoices/commands/import-invoices.js';
import { getInvoice } from './pay/invoices/queries/get-invoice.js';
import { listInvoices } from './pay/invoices/queries/list-invoices.js';
import { createHold } from './pay/payables/commands/create-hold.js';
import { updateHold } from './pay/payables/commands/update-hold.js';
import { listBalances } from './pay/payables/queries/list-balances.js';
import { listHolds } from './pay/payables/queries/list-holds.js';
import { listPayables } from './pay/payables/queries/list-payables.js';
import { createPayoutBatch } from './pay/payouts/commands/create-payout-batch.js';
import { updatePayoutBatch } from './pay/payouts/commands/update-payout-batch.js';
import { getPayoutBatch } from './pay/payouts/queries/get-payout-batch.js';
import { getPayoutFile } from './pay/payouts/queries/get-payout-file.js';
import { listPayoutBatches } from './pay/payouts/queries/list-payout-batches.js';
import { createAbsence } from './people/absences/commands/create-absence.js';
import { deleteAbsence } from './people/absences/commands/delete-absence.js';
import { importAbsences } from './people/absences/commands/import-absences.js';
import { updateAbsence } from './people/absences/commands/update-absence.js';
import { listAbsences } from './people/absences/queries/list-absences.js';
import { createAssignments } from './people/assignments/commands/create-assignments.js';
import { deleteAssignment } from './people/assignments/commands/delete-assignment.js';
import { importAssignments } from './people/assignments/commands/import-assignments.js';
import { previewAssignments } from './people/assignments/commands/preview-assignments.js';
import { setAssignmentFilters } from './people/assignments/commands/set-assignment-filters.js';
import { updateAssignment } from './people/assignments/commands/update-assignment.js';
import { listAssignmentFilters } from './people/assignments/queries/list-assignment-filters.js';
import { listAssignments } from './people/assignments/queries/list-assignments.js';
import { importHolidays } from './people/holidays/commands/import-holidays.js';
import { listHolidays } from './people/holidays/queries/list-holidays.js';
import { createRamp } from './people/ramps/commands/create-ramp.js';
import { deleteRamp } from './people/ramps/commands/delete-ramp.js';
import { updateRamp } from './people/ramps/commands/update-ramp.js';
import { listRamps } from './people/ramps/queries/list-ramps.js';
import { addPayrollId } from './people/reps/commands/add-payroll-id.js';
import { bulkInviteReps } from './people/reps/commands/bulk-invite-reps.js';
import { changeReps } from './people/reps/commands/change-reps.js';
import { importReps } from './people/reps/commands/import-reps.js';
import { inviteRep } from './people/reps/commands/invite-rep.js';
import { setPersonFields } from './people/reps/commands/set-person-fields.js';
import { setPersonValues } from './people/reps/commands/set-person-values.js';
import { updateRep } from './people/reps/commands/update-rep.js';
import { upsertReps } from './people/reps/commands/upsert-reps.js';
import { getPersonValues } from './people/reps/queries/get-person-values.js';
import { getRep } from './people/reps/queries/get-rep.js';
import { listPersonFields } from './people/reps/queries/list-person-fields.js';
import { listRepChoices } from './people/reps/queries/list-rep-choices.js';
import { listReps } from './people/reps/queries/list-reps.js';
import { setScores } from './people/scores/commands/set-scores.js';
import { listScores } from './people/scores/queries/list-scores.js';
import { acceptPlan } from './plans/acceptance/commands/accept-plan.js';
import { declinePlan } from './plans/acceptance/commands/decline-plan.js';
import { remindAcceptances } from './plans/acceptance/commands/remind-acceptances.js';
import { setPlanAcceptance } from './plans/acceptance/commands/set-plan-acceptance.js';
import { getPlanDocument } from './plans/acceptance/queries/get-plan-document.js';
import { listAcceptances } from './plans/acceptance/queries/list-acceptances.js';
import { createPlan } from './plans/commands/create-plan.js';
import { deletePlan } from './plans/commands/delete-plan.js';
import { deletePlanOverride } from './plans/commands/delete-plan-override.js';
import { previewPlanChange } from './plans/commands/preview-plan-change.js';
import { previewPlanOverride } from './plans/commands/preview-plan-override.js';
import { setPlanOverride } from './plans/commands/set-plan-override.js';
import { setPlanStatus } from './plans/commands/set-plan-status.js';
import { updatePlan } from './plans/commands/update-plan.js';
import { getPlan } from './plans/queries/get-plan.js';
import { getPlanHistory } from './plans/queries/get-plan-history.js';
import { getPlanPreview } from './plans/queries/get-plan-preview.js';
import { getPlanTemplate } from './plans/queries/get-plan-template.js';
import { listPlanOverrides } from './plans/queries/list-plan-overrides.js';
import { listPlanTemplates } from './plans/queries/list-plan-templates.js';
import { listPlans } from './plans/queries/list-plans.js';
import { runPlanTests } from './plans/queries/run-plan-tests.js';
import { deleteQuota } from './plans/quotas/commands/delete-quota.js';
import { importQuotas } from './plans/quotas/commands/import-quotas.js';
import { previewQuotas } from './plans/quotas/commands/preview-quotas.js';
import { setQuotas } from './plans/quotas/commands/set-quotas.js';
import { listQuotas } from './plans/quotas/queries/list-quotas.js';
import { deleteRateTable } from './plans/rate-tables/commands/delete-rate-table.js';
import { importRateTableRows } from './plans/rate-tables/commands/import-rate-table-rows.js';
import { previewRateTable } from './plans/rate-tables/commands/preview-rate-table.js';
import { setRateTable } from './plans/rate-tables/commands/set-rate-table.js';
import { getRateCoverage } from './plans/rate-tables/queries/get-rate-coverage.js';
import { getRateTable } from './plans/rate-tables/queries/get-rate-table.js';
import { listRateTableRevisions } from './plans/rate-tables/queries/list-rate-table-revisions.js';
import { listRateTables } from './plans/rate-tables/queries/list-rate-tables.js';
import { lookUpRate } from './plans/rate-tables/queries/look-up-rate.js';
import { type AnyOperation } from './platform/operations/operation.js';
import { setFiscalYears } from './rates/fiscal-years/commands/set-fiscal-years.js';
import { listFiscalYears } from './rates/fiscal-years/queries/list-fiscal-years.js';
import { deleteFxRates } from './rates/fx-rates/commands/delete-fx-rates.js';
import { importFxRates } from './rates/fx-rates/commands/import-fx-rates.js';
import { setFxRates } from './rates/fx-rates/commands/set-fx-rates.js';
import { listFxRates } from './rates/fx-rates/queries/list-fx-rates.js';
import { confirmScheduledImport } from './scheduled-imports/commands/confirm-scheduled-import.js';
import { createScheduledImport } from './scheduled-imports/commands/create-scheduled-import.js';
import { deleteScheduledImport } from './scheduled-imports/commands/delete-scheduled-import.js';
import { runScheduledImport } from './scheduled-imports/commands/run-scheduled-import.js';
import { testScheduledImport } from './scheduled-imports/commands/test-scheduled-import.js';
import { updateScheduledImport } from './scheduled-imports/commands/update-scheduled-import.js';
import { listScheduledImportFiles } from './scheduled-imports/queries/list-scheduled-import-files.js';
import { listScheduledImports } from './scheduled-imports/queries/list-scheduled-imports.js';
import { getApprovalJob } from './statements/approval-jobs/queries/get-approval-job.js';
import { listApprovalJobs } from './statements/approval-jobs/queries/list-approval-jobs.js';
import { consentStatement } from './statements/approvals/commands/consent-statement.js';
import { deleteDelegation } from './statements/approvals/commands/delete-delegation.js';
import { putDelegation } from './statements/approvals/commands/put-delegation.js';
import { reassignStep } from './statements/approvals/commands/reassign-step.js';
import { listApprovals } from './statements/approvals/queries/list-approvals.js';
import { listDelegations } from './statements/approvals/queries/list-delegations.js';
import { addAdjustment } from './statements/commands/add-adjustment.js';
import { approveStatement } from './statements/commands/approve-statement.js';
import { approveStatements } from './statements/commands/approve-statements.js';
import { checkStatement } from './statements/commands/check-statement.js';
import { deleteAdjustment } from './statements/commands/delete-adjustment.js';
import { generateStatement } from './statements/commands/generate-statement.js';
import { generateStatements } from './statements/commands/generate-statements.js';
import { trueUpStatement } from './statements/commands/true-up-statement.js';
import { updateAdjustment } from './statements/commands/update-adjustment.js';
import { addComment } from './statements/comments/commands/add-comment.js';
import { deleteComment } from './statements/comments/commands/delete-comment.js';
import { listComments } from './statements/comments/queries/list-comments.js';
import { resolveDiscrepancy } from './statements/discrepancies/commands/resolve-discrepancy.js';
import { listDiscrepancies } from './statements/discrepancies/queries/list-discrepancies.js';
import { listDiscrepancyLines } from './statements/discrepancies/queries/list-discrepancy-lines.js';
import { openDispute } from './statements/disputes/commands/open-dispute.js';
import { updateDispute } from './statements/disputes/commands/update-dispute.js';
import { getDispute } from './statements/disputes/queries/get-dispute.js';
import { listDisputes } from './statements/disputes/queries/list-disputes.js';
import { getGenerationJob } from './statements/generation-jobs/queries/get-generation-job.js';
import { listGenerationJobs } from './statements/generation-jobs/queries/list-generation-jobs.js';
import { approveAdjustment } from './statements/proposals/commands/approve-adjustment.js';
import { rejectAdjustment } from './statements/proposals/commands/reject-adjustment.js';
import { listAdjustmentProposals } from './statements/proposals/queries/list-adjustment-proposals.js';
import { getPayrollSums } from './statements/queries/get-payroll-sums.js';
import { getStatementStatus } from './statements/queries/get-statement-status.js';
import { getStatements } from './statements/queries/get-statements.js';
import { listRepStatements } from './statements/queries/list-rep-statements.js';

/** Every operation of the API, in the order of the specification. */
export const operations = [
  sendCode,
  verifyCode,
  openStartLink,
  setUpWorkspace,
  beginOidcLogin,
  finishOidcLogin,
  listIntegrations,
  beginCrmaConnect,
  beginCrmbConnect,
  beginCrmcConnect,
  connectCrma,
  connectCrmb,
  connectCrmc,
  disconnectCrma,
  disconnectCrmb,
  disconnectCrmc,
  setCrmcSync,
  rotateCrmcSecret,
  updateIntegration,
  listCrmSyncs,
  getCrmSettings,
  setCrmSettings,
  getWriteBack,
  checkWriteBack,
  getAuthStatus,
  getProfile,
  confirmSession,
  logOut,
  listFields,
  listFieldAttributes,
  listFieldOptions,
  autoMatchFields,
  saveFieldMapping,
  getFieldMapping,
  getCommissions,
  getCommissionsDashboard,
  listCommissionPeriods,
  listCommissionExceptions,
  acceptException,
  deleteAcceptedException,
  listFailedCalculations,
  explainCommission,
  listCommissionEvents,
  recalculateCommissions,
  listRecalculationJobs,
  getRecalculationJob,
  syncCommissions,
  simulateCommissions,
  getForecast,
  getPayCalendar,
  getUpdates,
  recordVisit,
  cleanupCommissions,
  resetCommissions,
  listDeals,
  listDealChanges,
  importDeals,
  putDeal,
  deleteDeal,
  deleteDeals,
  listDealOwners,
  matchDealOwners,
  listImports,
  getImport,
  takeBackImport,
  listScheduledImports,
  createScheduledImport,
  updateScheduledImport,
  deleteScheduledImport,
  testScheduledImport,
  runScheduledImport,
  confirmScheduledImport,
  listScheduledImportFiles,
  listDealCorrections,
  getDeal,
  listDealHistory,
  endDealCorrections,
  dismissCorrectionConflicts,
  getDealCredits,
  setDealCredits,
  deleteDealCredits,
  importDealCredits,
  getDealLines,
  setDealLines,
  deleteDealLines,
  importDealLines,
  listCreditRules,
  createCreditRule,
  updateCreditRule,
  deleteCreditRule,
  listInvoices,
  getInvoice,
  putInvoice,
  deleteInvoice,
  importInvoices,
  listRefunds,
  getRefund,
  putRefund,
  importRefunds,
  deleteRefund,
  waiveRefund,
  listPlans,
  createPlan,
  listPlanTemplates,
  getPlanTemplate,
  getPlan,
  deletePlan,
  getPlanHistory,
  setPlanAcceptance,
  getPlanDocument,
  exportPlanDocument,
  acceptPlan,
  declinePlan,
  remindAcceptances,
  listAcceptances,
  exportAcceptances,
  updatePlan,
  previewPlanChange,
  getPlanPreview,
  runPlanTests,
  setPlanStatus,
  listPlanOverrides,
  setPlanOverride,
  deletePlanOverride,
  previewPlanOverride,
  listAssignments,
  createAssignments,
  previewAssignments,
  importAssignments,
  updateAssignment,
  deleteAssignment,
  listAbsences,
  createAbsence,
  importAbsences,
  listHolidays,
  importHolidays,
  updateAbsence,
  deleteAbsence,
  listFiscalYears,
  setFiscalYears,
  listFxRates,
  setFxRates,
  deleteFxRates,
  importFxRates,
  listRateTables,
  getRateTable,
  setRateTable,
  previewRateTable,
  importRateTableRows,
  deleteRateTable,
  listRateTableRevisions,
  lookUpRate,
  getRateCoverage,
  listRamps,
  createRamp,
  updateRamp,
  deleteRamp,
  listScores,
  setScores,
  listQuotas,
  setQuotas,
  previewQuotas,
  importQuotas,
  deleteQuota,
  getStatements,
  getPayrollSums,
  exportTeamCsv,
  exportTeamPdf,
  exportTeamXlsx,
  exportTeamZip,
  createEvidence,
  exportPerson,
  listExportJobs,
  getExportJob,
  getExportFile,
  exportStatement,
  getStatementStatus,
  listRepStatements,
  generateStatements,
  listGenerationJobs,
  getGenerationJob,
  getPreparationJob,
  generateStatement,
  approveStatements,
  listApprovalJobs,
  getApprovalJob,
  approveStatement,
  consentStatement,
  reassignStep,
  listApprovals,
  listDelegations,
  putDelegation,
  deleteDelegation,
  listAdjustmentProposals,
  approveAdjustment,
  rejectAdjustment,
  addAdjustment,
  updateAdjustment,
  deleteAdjustment,
  trueUpStatement,
  listComments,
  addComment,
  deleteComment,
  checkStatement,
  listDisputes,
  openDispute,
  getDispute,
  updateDispute,
  listDiscrepancies,
  listDiscrepancyLines,
  resolveDiscrepancy,
  listPayables,
  listHolds,
  createHold,
  updateHold,
  listDraws,
  createDraw,
  updateDraw,
  deleteDraw,
  forgiveDraw,
  importDraws,
  listBalances,
  recordPayrollHandover,
  listPayrollHandovers,
  listHandoverJobs,
  getHandoverJob,
  listPayoutBatches,
  createPayoutBatch,
  getPayoutBatch,
  updatePayoutBatch,
  getPayoutFile,
  getAccounting,
  putEntity,
  getRepEntities,
  setRepEntities,
  importRepEntities,
  listEstimates,
  importEstimates,
  putEstimates,
  getLiability,
  exportLiability,
  listJournalLines,
  getContractCosts,
  getContract,
  putContract,
  deleteContract,
  importContracts,
  putImpairment,
  deleteImpairment,
  listImpairments,
  importOpeningLots,
  listOpeningLots,
  getRenewalTest,
  listAccountingPolicies,
  proposePolicy,
  approvePolicy,
  withdrawPolicy,
  listAccountingWriteOffs,
  importWriteOffs,
  proposeWriteOff,
  approveWriteOff,
  withdrawWriteOff,
  exportJournals,
  recordPostedJournals,
  listAccountingMonths,
  getAccountingMonth,
  prepareAccountingMonth,
  cancelAccountingPreparation,
  closeAccountingMonth,
  reopenAccountingMonth,
  listRepChoices,
  listReps,
  upsertReps,
  importReps,
  getRep,
  updateRep,
  addPayrollId,
  syncReps,
  changeReps,
  bulkInviteReps,
  inviteRep,
  listAssignmentFilters,
  setAssignmentFilters,
  listPersonFields,
  setPersonFields,
  getPersonValues,
  setPersonValues,
  listSavedViews,
  setSavedViews,
  getWorkspace,
  updateWorkspace,
  previewWorkspace,
  getWorkspaceKey,
  rotateWorkspaceKey,
  listConnectionTokens,
  createConnectionToken,
  deleteConnectionToken,
  listIntegrationKeys,
  createIntegrationKey,
  revokeIntegrationKey,
  getInstallation,
  setMailServer,
  deleteMailServer,
  sendTestMail,
  saveIdentityProvider,
  deleteIdentityProvider,
  listAuditLogs,
  exportAuditLog,
  listAuditEntries,
  getMailPreferences,
  setMailPreferences,
  listWebhookEndpoints,
  createWebhookEndpoint,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookSecret,
  listWebhookDeliveries,
  replayWebhookDelivery,
  testWebhookEndpoint,
  listAgents,
  getAgentRequest,
  decideAgentRequest,
  disconnectAgent,
  listChangeRequests,
  previewChangeRequest,
  decideChangeRequest,
  receiveBillingEvent,
  whoAmI,
  getRevision,
  receiveCrma,
  receiveCrmb,
  receiveCrmc,
] as const satisfies readonly AnyOperation[];
