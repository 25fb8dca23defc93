import { type Caller, type KeyScope, mayActAs, type RoleOutsideOrder } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { type AnyOperation, isPublic, type OperationScope } from './operation.js';

/** The scope of changes by the first part of the path after /v1. Changes elsewhere need a session or the workspace key. */
const areaScopes: Readonly<Record<string, KeyScope>> = {
  deals: 'deals',
  'deal-corrections': 'deals',
  imports: 'deals',
  'credit-rules': 'deals',
  commissions: 'deals',
  plans: 'plans',
  fields: 'plans',
  assignments: 'plans',
  absences: 'plans',
  holidays: 'plans',
  'fx-rates': 'plans',
  'rate-tables': 'plans',
  'fiscal-years': 'plans',
  ramps: 'plans',
  quotas: 'plans',
  scores: 'deals',
  statements: 'payroll',
  'payroll-handovers': 'payroll',
  'payout-batches': 'payroll',
  payables: 'payroll',
  invoices: 'deals',
  refunds: 'deals',
  disputes: 'payroll',
  discrepancies: 'payroll',
};

/** The declared scope, otherwise the scope that follows from method and path, so that every operation has one. */
export function findScope({ scope, method, path, files }: AnyOperation): OperationScope {
  if (scope !== undefined) return scope;
  const area = /^\/v1\/([a-z-]+)/.exec(path)?.[1];
  if (area === undefined) return null;
  if (method === 'get') return files === undefined ? 'read' : 'payroll';
  return areaScopes[area] ?? null;
}

/** Whether calls of the operation change something; some that change nothing have the method POST. */
export function isChange(operation: AnyOperation): boolean {
  return operation.method !== 'get' && operation.reads !== true && findScope(operation) !== 'read';
}

/**
 * Whether the operation supports an Idempotency-Key: its repetition must not change anything twice. A read changes
 * nothing, so its response, which may be large, is not stored. Public operations support none: without a workspace all
 * callers would share their keys.
 */
export function acceptsIdempotencyKey(operation: AnyOperation): boolean {
  const { method, files } = operation;
  return method === 'post' && files === undefined && !isPublic(operation) && isChange(operation);
}

/** Rejects a change over REST with the key of an agent: the workspace decides about its changes at the MCP endpoint. */
export function assertNoChangeByAgent({ isAgentKey }: Caller, operation: AnyOperation): void {
  if (isAgentKey !== true || !isChange(operation)) return;
  throw new Failure(
    'forbidden',
    'This key belongs to an agent. Its changes need the tools of the MCP endpoint, POST /v1/mcp; over REST it may only read.',
  );
}

/** Whether the caller's role suffices for the operation. `execute` decides which data the caller may see. */
export function hasAccess({ accessLevel }: Pick<Caller, 'accessLevel'>, operation: AnyOperation): boolean {
  return mayActAs({ accessLevel }, operation.access) || listAlsoFor(operation).some((role) => role === accessLevel);
}

/** Those of the roles payroll, finance and auditor that may call the operation. `access` does not include them. */
export function listAlsoFor(operation: AnyOperation): readonly RoleOutsideOrder[] {
  const { payroll, finance, method } = operation;
  return [
    ...(payroll === true ? (['payroll'] as const) : []),
    ...(payroll === true && (finance === true || method === 'get') ? (['finance'] as const) : []),
    ...(mayAuditorCall(operation) ? (['auditor'] as const) : []),
  ];
}

/**
 * An auditor may GET what the role payroll, or a key with the scope `read` or `payroll`, may GET. With other methods, an
 * auditor may call only operations that declare `reads` or `finance`.
 */
function mayAuditorCall(operation: AnyOperation): boolean {
  const { payroll, finance, reads, method } = operation;
  if (isPublic(operation)) return false;
  if (method !== 'get') return finance === true || reads === true;
  return payroll === true || ['read', 'any', 'payroll'].includes(findScope(operation) ?? '');
}

/** Whether the caller's role and scopes suffice for the operation. `execute` decides which data the caller may see. */
export function mayCall(caller: Caller, operation: AnyOperation): boolean {
  return hasAccess(caller, operation) && hasScope(caller, operation);
}

/** Whether the scopes of the caller's key include the operation. Callers without scopes are not restricted. */
export function hasScope({ scopes }: Caller, operation: AnyOperation): boolean {
  if (scopes === undefined || isPublic(operation)) return true;
  const scope = findScope(operation);
  return scope === 'any' || (scope !== null && scopes.has(scope));
}

/** The error for an integration key that lacks the scope; null for what no key may call. */
export function insufficientScope({ scopes }: Caller, scope: OperationScope): Failure {
  const message =
    scope === null
      ? 'Integration keys cannot call this operation. Use the session of an admin or the workspace key.'
      : `This operation needs the scope ${scope}; your key has ${[...(scopes ?? [])].sort().join(', ')}. Use a key with the scope ${scope}.`;
  return new Failure('insufficient_scope', message, { scope });
}
