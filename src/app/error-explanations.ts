/**
 * What each error code means and what a caller does about it, for docs/errors.md. `test/error-codes.test.ts` keeps the
 * list equal to the codes that the operations declare.
 */
export const errorExplanations: Readonly<Record<string, string>> = {
  VALIDATION_FAILED:
    'A value of the request violates its schema or a rule between fields. `details.issues` has the path and the message of each. Correct the request; repeating it does not help.',
  invalid_json: 'The body cannot be parsed as JSON. Send one JSON value in UTF-8.',
  unauthorized:
    'The request has no valid token, or its session has ended. Send `Authorization: Bearer …` with a key or a session that is valid.',
  forbidden:
    'The role of the caller does not suffice, or the data belongs to people outside of what the caller sees. Ask an admin for the role.',
  insufficient_scope:
    'The integration key or the connection of an agent lacks the scope that `details.scope` names. Create a key with this scope.',
  step_up_required:
    'The workspace requires a recent proof of identity for this operation. Confirm the session with a code (`POST /auth/confirm`), then repeat the request.',
  not_found:
    'No route has this path (the list of routes is in `/v1/openapi.json`), or the workspace has no webhook endpoint, delivery, key, token, agent, change request, scheduled import or identity provider with this id; the message says which.',
  method_not_allowed: 'The path exists with other methods, which the header `Allow` lists.',
  duplicate_idempotency_key:
    'The `Idempotency-Key` was used for another request, or the response of the first request was lost. Use a new key for a new request, and check what the first one has written.',
  request_in_progress:
    'The first request with this `Idempotency-Key` has not ended. Repeat the request after a second; it then gets the first response.',
  payload_too_large: 'The body is larger than the limit that the message names. Send it in several requests.',
  unsupported_media_type:
    'The operation does not read this `Content-Type` or `Content-Encoding`. The message names what it reads.',
  headers_too_large:
    'The address and the headers of the request are too long. Move values to the body, or remove cookies.',
  rate_limited:
    'The caller has made too many requests, or too much work of the workspace is running. Wait as long as `Retry-After` says.',
  internal_error:
    'The service has failed unexpectedly. The log has the cause under the request id in `details.requestId`. A request with an `Idempotency-Key` can be repeated safely.',
  database_unavailable:
    'The database cannot be reached, or has no disk space, memory or connections left. The change may have been stored, if the connection was lost during the commit: repeat a POST only with an `Idempotency-Key`, after `Retry-After`.',
  workspace_busy:
    'Other changes of the workspace hold the same rows. Repeat the request after `Retry-After`; nothing was changed.',
  queue_unavailable: 'The queue that wakes workers cannot be reached. Repeat the request after `Retry-After`.',

  absence_not_found: 'The workspace has no absence with this id. `GET /v1/absences` lists them.',
  absence_overlap:
    'The person has an absence on some of these days, from `details.from` to `details.to`. Change the dates, or update that absence.',
  acceptance_not_found: 'The workspace has no accepted exception with this id. It may have been removed.',
  acceptance_not_needed:
    'The version of the plan asks no one for an acceptance, or the person is not on the plan. `GET /v1/acceptances` lists what waits.',
  account_changed:
    'The credentials belong to another account of the CRM than the deals that are stored. Connect the earlier account, or repeat the request with `previousDeals`.',
  adjustment_limit:
    'The change of an adjustment is above the limit `details.above`, with the adjustments of the last 24 hours. Add the difference as an adjustment, which another person approves.',
  adjustment_not_found: 'The statement has no adjustment with this id. Read the statement again.',
  adjustments_pending:
    'Adjustments of the statement wait for another person (`details.adjustmentIds`). Approve or reject them, then approve the statement.',
  agent_request_expired:
    'The request of an agent for access is not valid any more. Connect again from the program of the agent.',
  already_decided: 'Another person has decided about this change, or it has expired. `details.status` has the result.',
  accounting_off:
    'The workspace keeps no books. An admin turns accounting on with `PATCH /v1/workspaces {"accounting": {"enabled": true, "from": "2026-01"}}`.',
  account_missing:
    'The roles in `details.roles` have no account. `PUT /v1/accounting/entities/:code` maps them to accounts.',
  already_paid:
    'The amount is in a batch that is paid, and what is paid is final. Correct it by a true-up, or carry the difference forward.',
  already_signed:
    'The caller has signed another step of this statement, for themself or as a delegate. Each step needs another person.',
  already_signed_by: 'Another person has signed the step first; `details.name` says who. Read the statement again.',
  assignment_not_found: 'The workspace has no assignment with this id. `GET /v1/assignments` lists them.',
  assignment_overlap:
    'The people in `details.repIds` have this plan on some of these days already. Change the dates, or update the existing assignment.',
  bad_signature:
    'The delivery is not signed by a sender that is connected. Check the secret of the sender, and its clock.',
  batch_open: 'A payout batch with this statement or period waits to be paid. Mark it as paid, or cancel it.',
  billing_unavailable: 'The provider of billing cannot be reached or rejects the request. Try again later.',
  calculation_pending:
    'Commission of the person is being calculated after a change. Repeat the request after a second, or poll the job of the change.',
  calendar_in_use:
    'The fiscal year has approved statements in `details.periods`, so that its days cannot change. Unlock them first.',
  carried_forward:
    'A difference of this period was paid in a later period, `details.period`, which is approved. Unlock the later period first.',
  clawback_must_be_negative:
    'A clawback takes money back, so its amount is negative. Add an adjustment to pay a person.',
  comment_not_found: 'The statement has no comment with this id. It may have been deleted.',
  confirmation_required:
    'The change would exclude many deals that count today. `details` has their number. Repeat the request with `confirm: true`.',
  credit_repeated:
    'Two lines of credits have the same person, kind and role. Add their percentages, or give one of them another role.',
  credit_rule_name_taken: 'Another credit rule has this name. Choose another name, or change that rule.',
  credit_rule_not_found: 'The workspace has no credit rule with this id. `GET /v1/credit-rules` lists them.',
  crm_refused:
    'The CRM has rejected the credentials, their permissions or the request. Connect it again with the permissions that the message names.',
  crm_unavailable: 'The CRM cannot be reached, or it limits requests. Try again later.',
  deal_not_found: 'The workspace has no deal with this id, or the caller does not see it.',
  delegation_not_found:
    'The workspace has no delegation with this id, or the id is no UUID. `GET /v1/delegations` lists them.',
  discrepancy_changed:
    'The difference has changed since it was read; `details.delta` is the present one. Read the discrepancy again, then decide.',
  discrepancy_not_found: 'The workspace has no discrepancy with this id, or the caller does not see it.',
  dispute_not_found: 'The workspace has no dispute with this id, or the caller does not see it.',
  document_changed:
    'The document of the person is another one than was read, since the plan or their terms have changed. Read it again (`GET /v1/plans/:planVersionId/document`), then accept it.',
  draw_not_found: 'The workspace has no draw with this id. `GET /v1/draws` lists them.',
  draw_overlap: 'The person has a draw of this kind on some of these days. Change the dates, or end that draw.',
  earlier_period_open:
    'The statement of an earlier period, `details.period`, has amounts to pay and is not approved. Approve it first, or send `force: true`.',
  endpoint_disabled: 'The webhook endpoint is disabled. Enable it, then repeat the request.',
  event_not_found: 'The workspace has no commission event with this id, or the caller does not see it.',
  export_not_ready: 'The file is being made. Poll its job until the status is `completed`.',
  export_unavailable: 'Too many files of the workspace are waiting to be made. Repeat the request after `Retry-After`.',
  field_not_dated:
    'Only dated fields of people have values with days, and only they are keys of rate tables. Define the field with `dated: true` (`PUT /v1/person-fields`).',
  field_not_found: 'No select or status field has this slug. `GET /v1/fields` lists the fields.',
  file_not_waiting:
    'The file of the scheduled import has been decided about, or another file has replaced it. Read the list again.',
  not_your_step:
    'The step that waits (`details.step`) is signed by other people, from their own sessions. `approval.next.by` of the statement names them.',
  own_statement:
    'The delegate would sign their own statement, since the person signs it in the step `details.step`. Name another delegate.',
  payouts_required:
    'The pay of a plan can wait for its acceptance only in workspaces with payouts. Enable payouts, or use `required`.',
  rate_table_not_found:
    'The workspace has no rate table of this name. `GET /v1/rate-tables` lists them. If a tier names it, create the table, then save the plan.',
  column_not_found: 'A tier names no column of its rate table, or none where the table has several.',
  currency_differs: 'The amounts of the rate table are in another currency than the plan.',
  step_not_blocked: 'The step has a person who may sign it. Only a step with `blockedBy` is reassigned.',
  step_not_next: 'Another step waits (`details.step`), or none does. Steps are signed in their order.',
  value_missing: 'A row of the rate table has no value in a column. Every row has one in every column.',
  table_changed:
    'The rate table was changed after the revision that the request names. Read it, then repeat the change.',
  rate_table_in_use:
    'An active plan needs the rate table, or a column or key of it. Change the plan, then repeat the change.',
  rows_overlap: 'Two rows of the rate table match the same values, and neither is more exact. The message names both.',
  books_changed:
    'Facts have changed since the month was prepared. `details.changed` has the accounts. Prepare it again, and close it with the new hash.',
  close_in_order: 'Months are closed in their order, and only the latest one can be reopened.',
  entity_not_found: 'The workspace keeps no books of this entity. `GET /v1/accounting` lists the entities.',
  journals_posted:
    'The journals of the month were posted, so that it stays closed. Later changes are in the first open month.',
  fx_rate_missing: 'No exchange rate converts the currencies of the message on this day. Add the rate.',
  group_terms_differ:
    'Rules of one quota group share a quota, so they need the same `quotaProration` and the same calendar.',
  hold_not_found: 'The workspace has no hold with this id. It may have ended.',
  identity_provider_unavailable:
    'The identity provider cannot be reached or does not answer as OpenID Connect prescribes. Check its address, and try again.',
  import_not_found: 'The workspace has no import with this id.',
  import_not_reversible: 'The import was taken back already.',
  invalid_code: 'The code is wrong, was used, or has expired. Request a new one.',
  invalid_rate:
    'A rate is not a positive number within the bounds, or its currency does not exist. The message names it.',
  invalid_start_link: 'The link of the terminal was used or has expired. Restart the service to get a new one.',
  invalid_transition: 'The present status, `details.status`, does not allow this change. Read the object again.',
  invoice_not_found: 'The deal has no invoice with this id.',
  job_not_found: 'The workspace has no such job, or its result is not kept any more. Start a new one.',
  last_admin: 'The workspace would have no active admin. Make another person an admin first.',
  later_statement_approved:
    'The approved statement of a later period, `details.period`, may have paid what arrived late for this one. Unlock the later one first.',
  mail_not_sent: 'The mail server has rejected the mail. The message has its answer.',
  mail_not_set_up: 'The installation has no mail server. The operator sets it up first.',
  month_closed: 'The books of the month in `details.month` are closed. Reopen it first.',
  month_not_over: 'The month has not ended. Close it on the day after its last one.',
  month_not_prepared:
    'The month is not prepared. `POST /v1/accounting/months/:month/prepare` says that its books are right.',
  month_open: 'The month is not closed. Close it first, or export its journals with `draft=true`.',
  month_not_found:
    'There are no books of this month. They begin with `details.from`, and `details.current` is the present month.',
  no_crm_configured: 'The CRM is not connected to the workspace. Connect it first.',
  no_fiscal_period: 'The fiscal year of the month is not defined. Define it with `PUT /v1/fiscal-years`.',
  no_known_columns: 'The header of the file names no known column. The message lists the columns.',
  no_person: 'Only a person who is signed in decides about changes of agents; keys and agents do not.',
  no_preview: 'The change moves no amounts, or its preview takes too long. Decide without a preview.',
  second_person_required:
    'You have prepared the month or requested to reopen it. Another person decides, unless `accounting.secondPerson` is false.',
  not_a_pay_period: 'The period is no pay period of the workspace. The settings of payouts have their length.',
  not_a_sandbox:
    'Only sandboxes have a test clock. Create one with `commissions workspace create --sandbox`, or copy the workspace.',
  not_operator:
    'Only an admin of the workspace that operates the installation changes its settings. The command `workspace operator` names it.',
  nothing_to_pay: 'No approved statement of the period has an amount that is unpaid.',
  open_dispute:
    'An open dispute concerns this statement. Decide about it first, or let an admin turn `blockApprovalOnDispute` off.',
  own_proposal: 'You have proposed this version of a policy, or this write-off. Another admin approves it.',
  contract_not_found: 'Nothing is stated of the contract of this deal.',
  impairment_not_found: 'The deal has no test of impairment in this month.',
  period_not_of_contract:
    'Where renewals pay for themselves, the policy spreads the cost over the contract, or until one of its days.',
  invalid_terms: 'The days of the contract contradict each other. The message says which.',
  own_debt: 'What you owe is written off by other admins.',
  write_off_not_found: 'The workspace has no write-off with this id. `GET /v1/accounting/write-offs` lists them.',
  policy_not_found: 'The workspace has no such version of a policy. `GET /v1/accounting/policies` lists them.',
  policy_proposed:
    'A policy of capitalised cost waits for its approval. Approve or withdraw it, then prepare the month.',
  unassigned_lots:
    'Policies of capitalised cost decide, and none about a row of the month. Approve one that matches it; the journal has the rows in the account `unassigned`.',
  pay_period_in_use:
    'Approved statements or batches use the pay periods of `details.period`, so they cannot change. Or the pay periods begin or end with this fiscal period, so the days of its year cannot change. Change the pay periods first.',
  payout_batch_not_found: 'The workspace has no payout batch with this id.',
  payout_file_erased: 'The file was deleted, because the data of a person in it was erased.',
  payouts_enabled: 'The workspace pays by payout batches. Create a batch and mark it as paid.',
  payouts_off: 'The operation needs payouts, which are off in this workspace. Enable them first.',
  payroll_file_changed:
    'The payroll file differs from the one that was exported. Export it again, check it, and hand over the new file.',
  payroll_id_exists: 'The person has a payroll id. An admin can change it.',
  pdf_unavailable: 'PDF files cannot be made at present. The message has the reason; other formats work.',
  period_mismatch: 'The rule counts in other periods than the quota. The message shows how its periods are written.',
  person_field_in_use:
    'People have values in the field, so that it cannot be deleted or have another type. Clear the values first.',
  plan_changed: 'The plan was saved by someone else. Read version `details.latestVersion`, then repeat the change.',
  plan_has_assignments: 'People are assigned to the plan. Remove the assignments, or archive the plan.',
  plan_name_taken: 'Another plan has this name. Change that plan, or choose another name.',
  plan_not_found: 'The workspace has no plan or version with this id. `GET /v1/plans` lists them.',
  plan_rule_not_found: 'The version has no rule with this id; ids of rules change with each version.',
  plan_tests_failed:
    'Tests of the plan do not hold, so the version cannot become active. `details.failed` has what each expected. Correct the config or the tests, or send `force: true`.',
  plan_too_complex:
    'The plan, its tests, the credit rules or the calculation is larger than the limit that the message names. Simplify it, or calculate fewer people or deals.',
  preview_outdated:
    'The data has changed since the preview that was shown. `details.preview` is the present one; decide again.',
  provider_not_found: 'The identity provider has been removed. Read the list again.',
  quota_ambiguous_measure:
    'Several rules, `details.planRuleIds`, count this measure. Give `planRuleId` instead, or `planId` beside the measure.',
  quota_not_found: 'The workspace has no quota with this id. `GET /v1/quotas` lists them.',
  ramp_in_use: 'Assignments use the ramp. Remove it from them first.',
  ramp_name_taken: 'Another ramp has this name. Choose another name, or change that ramp.',
  ramp_not_found: 'The workspace has no ramp with this id. `GET /v1/ramps` lists them.',
  reconcile_refused:
    'The CRM returned far fewer deals than are stored, so nothing was deleted. Check the filter of the sync in the CRM.',
  refund_exceeds_deal:
    'The refunds of the deal would be larger than its amount. `GET /v1/deals/:dealId/refunds` lists them.',
  refund_exceeds_line: 'The refund of a line is larger than the net amount of the line.',
  line_not_found: 'The deal has no line with this id. `GET /v1/deals/:dealId/lines` lists them.',
  line_not_refundable: 'The line has no amount above 0, so there is nothing to give back.',
  line_repeated:
    'Two lines of the deal have the same id. Give each line its own `lineId`; `details.lineId` is the repeated one.',
  refund_not_found: 'The deal has no refund with this id.',
  rep_limit_reached: 'Every seat of the tier is taken. Deactivate a person, or choose a larger tier.',
  rep_not_found: 'The workspace has no person with this id, or the caller does not see the person.',
  schedule_must_total_100: 'The percentages of a payout schedule add up to 100.',
  scheduled_import_paused: 'The scheduled import is paused. Continue it first.',
  set_by_environment: 'An environment variable, which the message names, has this setting. Change it there.',
  source_unreachable: 'The source of the scheduled import cannot be read. The message has the reason.',
  splits_must_total_100:
    'The split lines of a deal add up to 100 %. The house takes what no person earns (`repId: null`).',
  statement_changed:
    'The statement has a later version than the one that was checked. Read it again, then approve that version.',
  statement_locked: 'The statement of the period is approved. Unlock it, or let the change become a discrepancy.',
  statement_not_approved:
    'The statement is not approved, so there is nothing to unlock or correct. Generate it again to update a draft.',
  statement_not_found: 'No statement was generated for the person and period.',
  statement_overlap: 'Another approved statement of the person contains some of these days. Unlock it first.',
  template_not_found: 'There is no template with this id. `GET /v1/plans/templates` lists them.',
  too_many_agents: 'The person has connected as many agents as are allowed. Disconnect one first.',
  too_many_comments: 'The person has written as many comments on the statement as are allowed. Delete one first.',
  too_many_endpoints: 'The workspace has as many webhook endpoints as are allowed. Delete one first.',
  too_many_keys: 'The workspace has as many integration keys as are allowed. Revoke one first.',
  too_many_lines:
    'A deal has at most 500 lines. Add up lines of the same product, or leave out those without an amount.',
  too_many_providers: 'The installation has as many identity providers as are allowed. Remove one first.',
  too_many_scheduled_imports: 'The workspace has as many scheduled imports as are allowed. Delete one first.',
  write_back_off: 'Nothing is written to the CRM yet. Connect it and name the fields first.',
};
