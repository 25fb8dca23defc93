import { sql } from 'kysely';
import { importSlots } from '#src/scheduled-imports/scheduled-import-job.js';
import { type WorkKind } from './leased-worker.js';

export const exportWork: WorkKind = {
  name: 'exports',
  slots: 2,
  selectDue: () => sql`select workspace_id as "workspaceId", job_id as id from due_exports(8)`,
};

export const previewWork: WorkKind = {
  name: 'plan previews',
  slots: 1,
  selectDue: () => sql`select workspace_id as "workspaceId", preview_id as id from due_plan_previews(4)`,
};

export const approvalWork: WorkKind = {
  name: 'approvals',
  slots: 1,
  selectDue: () => sql`select workspace_id as "workspaceId", job_id as id from due_approval_jobs(4)`,
};

/** What was requested for a whole large workspace and is done in parts. */
export const exceptionWork: WorkKind = {
  name: 'lists of exceptions',
  slots: 1,
  selectDue: () => sql`select workspace_id as "workspaceId", job_id as id from due_stored_jobs('exceptions', 4)`,
};

export const generationWork: WorkKind = {
  name: 'generations of statements',
  slots: 1,
  selectDue: () => sql`select workspace_id as "workspaceId", job_id as id from due_stored_jobs('generation', 4)`,
};

/** Imports of one workspace that all processes run at the same time, so that its slow sources delay no other. */
const maxImportsOfWorkspace = 1;

export const scheduledImportWork: WorkKind = {
  name: 'scheduled imports',
  slots: importSlots,
  selectDue: (begun) => sql`
    select workspace_id as "workspaceId", scheduled_import_id as id
    from due_scheduled_imports(${importSlots + begun}, ${maxImportsOfWorkspace})`,
};

/** Endpoints to which one process sends at the same time. A slow receiver occupies one of these slots. */
const endpointSlots = 12;
/** Endpoints of one workspace to which all processes send at the same time, so that its slow receivers delay no other. */
const maxEndpointsOfWorkspace = 2;

export const deliveryWork: WorkKind = {
  name: 'deliveries of events',
  slots: endpointSlots,
  selectDue: (begun) => sql`
    select workspace_id as "workspaceId", endpoint_id as id
    from due_webhook_endpoints(${endpointSlots + begun}, ${maxEndpointsOfWorkspace})`,
};
