import { type OperationRights } from '../exports/packets/evidence.js';
import { roles } from '../kernel/caller.js';
import { operations } from '../operations.js';
import { type AnyOperation, isPublic } from '../platform/operations/operation.js';
import { findScope, hasAccess, isChange } from '../platform/operations/operation-scope.js';

/** Which role may call what, as the declarations state it. */
export function describeRights(): readonly OperationRights[] {
  const declared: readonly AnyOperation[] = operations;
  return declared
    .filter((operation) => !isPublic(operation))
    .map((operation) => ({
      operation: operation.id,
      request: `${operation.method.toUpperCase()} ${operation.path}`,
      summary: operation.summary,
      changes: isChange(operation),
      roles: roles.filter((role) => hasAccess({ accessLevel: role }, operation)),
      keyScope: findScope(operation) ?? 'none',
      recentProof: operation.stepUp === undefined ? 'never' : operation.stepUp === 'always' ? 'always' : 'sometimes',
    }));
}
