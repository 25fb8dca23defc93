import { sql } from 'kysely';
import { type StoredJobKind } from '#src/platform/stored-jobs/stored-job.js';
import { importSlots } from '#src/scheduled-imports/scheduled-import-job.js';
import { type WorkKind } from './leased-worker.js';

/** Jobs of `stored_jobs`. `maxOfWorkspace` is how many jobs of one workspace all processes do at the same time. */
function storedJobs(name: string, kind: StoredJobKind, { slots = 1, maxOfWorkspace = 8 } = {}): WorkKind {
  return {
    name,
    slots,
    selectDue: () => sql`
      select workspace_id as "workspaceId", job_id as id
      from due_stored_jobs(${kind}, ${4 * slots}, ${maxOfWorkspace})`,
  };
}

export const exportWork = storedJobs('exports', 'export', { slots: 2 });
export const previewWork = storedJobs('plan previews', 'preview', { maxOfWorkspace: 1 });
export const approvalWork = storedJobs('approvals', 'approval');
export const exceptionWork = storedJobs('lists of exceptions', 'exceptions');
export const handoverWork = storedJobs('payroll hand-overs', 'handover');
export const preparationWork = storedJobs('preparations of months', 'preparation', { maxOfWorkspace: 1 });
export const generationWork = storedJobs('generations of statements', 'generation');

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
