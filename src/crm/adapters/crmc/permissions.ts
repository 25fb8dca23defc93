import { type CrmPermission, unlessRejected } from '../port.js';
import { soqlText } from './soql.js';

/** Reads of the organisation that the check needs. */
interface PermissionReads {
  /** Number of rows on the first page of the query. */
  countRows(query: string): Promise<number>;
  /** What users see of each other's opportunities; null if the user may not read it. */
  sharingDefault(): Promise<string | null>;
  userId(): Promise<string>;
}

/** Whether the connected user may read what the service needs. */
export async function crmcPermissions(reads: PermissionReads): Promise<CrmPermission[]> {
  const required = await readPermissions(reads.countRows, [
    ['Opportunity', 'deals'],
    ['User', 'people'],
  ]);
  const readsDeals = required[0]?.granted === true;
  return [
    ...required,
    {
      name: 'View All on Opportunity',
      purpose: 'deals that sharing hides from the user',
      granted: readsDeals && (await seesAllDeals(reads)),
      required: false,
    },
  ];
}

/** Whether the connected user may read the objects. */
export async function readPermissions(
  countRows: PermissionReads['countRows'],
  objects: readonly (readonly [name: string, purpose: string])[],
): Promise<CrmPermission[]> {
  const permissions: CrmPermission[] = [];
  for (const [name, purpose] of objects) {
    const rows = await unlessRejected(() => countRows(`SELECT Id FROM ${name} LIMIT 1`), null);
    permissions.push({ name: `Read on ${name}`, purpose, granted: rows !== null, required: true });
  }
  return permissions;
}

/** Null if the user may not read the permissions. */
async function seesAllDeals(reads: PermissionReads): Promise<boolean | null> {
  const sharing = await reads.sharingDefault();
  if (sharing !== null && sharing !== 'None') return true;
  return unlessRejected(async () => {
    const assigned = `SELECT PermissionSetId FROM PermissionSetAssignment WHERE AssigneeId = ${soqlText(await reads.userId())}`;
    const queries = [
      `SELECT Id FROM ObjectPermissions WHERE SobjectType = 'Opportunity' AND PermissionsViewAllRecords = true AND ParentId IN (${assigned})`,
      `SELECT Id FROM PermissionSet WHERE PermissionsViewAllData = true AND Id IN (${assigned})`,
    ];
    for (const query of queries) if ((await reads.countRows(query)) > 0) return true;
    return false;
  }, null);
}

/** The id at the end of an identity URL. */
export function userIdIn(identity: string): string {
  return /[/](005\w{12,15})$/.exec(identity)?.[1] ?? '';
}
