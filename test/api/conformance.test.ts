import { expect } from 'chai';
import { describeService } from '#src/app/describe-service.js';
import { operations } from '#src/operations.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';

/**
 * Section 4 of the interface specification, row by row: method, path, access level, status, required fields of the
 * response. `any` is every caller with a token, `own` one with a person or a workspace key. Where the specification
 * states no role but the operation changes the workspace's set-up, the role is `admin`.
 */
const specification = `
POST /auth/otp/send | public | 200 |
POST /auth/otp/verify | public | 200 | sessionToken
GET /auth/workspace/integrations | any | 200 |
POST /auth/workspace/disconnect-crma | admin | 200 |
POST /auth/workspace/disconnect-crmb | admin | 200 |
POST /auth/workspace/disconnect-crmc | admin | 200 |
POST /auth/workspace/crmc/sync-enabled | admin | 200 | enabled
GET /auth/status | any | 200 | valid workspaceId
GET /auth/me | any | 200 | repId email name role

GET /v1/fields | any | 200 | slug label type
GET /v1/fields/attributes | any | 200 | slug label type
GET /v1/fields/attributes/:slug/options | any | 200 | label value
POST /v1/fields/auto-match | any | 201 |
POST /v1/fields/save | admin | 201 |
GET /v1/fields/current | any | 200 |

GET /v1/commissions | any | 200 | earnings attainment closedDeals openPipeline deal events
GET /v1/commissions/dashboard | any | 200 | earnings attainment closedDeals openPipeline deal events
GET /v1/commissions/periods | any | 200 |
POST /v1/commissions/recalculate | admin | 200 | triggered count skipped reason scope async jobId status startedAt
GET /v1/commissions/recalculate/jobs/:jobId | admin | 200 | jobId status scope startedAt finishedAt result error
POST /v1/commissions/sync | admin | 200 | synced totalDeals triggered message
POST /v1/commissions/simulate | own | 200 |
POST /v1/commissions/cleanup | admin | 200 |
POST /v1/commissions/reset | admin | 200 | events quotas

GET /v1/deals | any | 200 | deals count
DELETE /v1/deals/:dealId | admin | 200 | reversed statementLocked softDeleted hardDeleted

GET /v1/plans | any | 200 | planId version name status
POST /v1/plans | admin | 201 | planId planVersionId version
GET /v1/plans/templates | any | 200 | planConfig
GET /v1/plans/templates/:templateId | any | 200 | planConfig
GET /v1/plans/:planId | any | 200 | planId version rules
DELETE /v1/plans/:planId | admin | 200 |
GET /v1/plans/:planId/history | any | 200 | version
PATCH /v1/plans/:planRef | admin | 200 | version
PATCH /v1/plans/:planRef/status | admin | 200 | status
GET /v1/plans/:planVersionId/overrides | own | 200 | repId
PUT /v1/plans/:planVersionId/overrides/:repId | admin | 200 |
DELETE /v1/plans/:planVersionId/overrides/:repId | admin | 200 |

GET /v1/assignments | own | 200 | repId planId effectiveStart effectiveEnd
POST /v1/assignments | admin | 201 | repId planId effectiveStart effectiveEnd
PATCH /v1/assignments/:assignmentId | admin | 200 |
DELETE /v1/assignments/:assignmentId | admin | 200 |

GET /v1/quotas | own | 200 | repId planRuleId period target variableTarget current_value
POST /v1/quotas | admin | 201 | repId planRuleId period target variableTarget current_value
DELETE /v1/quotas/:quotaId | admin | 200 |

GET /v1/statements | own | 200 | statements lineItems status
GET /v1/statements/export.csv | manager | 200 |
GET /v1/statements/export.pdf | manager | 200 |
GET /v1/statements/:repId/export | own | 200 |
GET /v1/statements/:repId/status | own | 200 | status
POST /v1/statements/generate | manager | 200 | period generated skipped errors statements skippedReps errorReps
POST /v1/statements/:repId/generate | manager | 200 | generated statementId version period repId status summary dealCount lineItems
POST /v1/statements/:repId/approve | manager | 200 |
POST /v1/statements/:repId/adjust | admin | 200 |
PATCH /v1/statements/:repId/adjust/:adjustmentId | admin | 200 |
DELETE /v1/statements/:repId/adjust/:adjustmentId | admin | 200 |
POST /v1/statements/:repId/true-up | manager | 200 | action delta approvalThreshold
GET /v1/statements/:repId/comments | own | 200 |
POST /v1/statements/:repId/comments | own | 201 |
DELETE /v1/statements/:repId/comments/:commentId | own | 200 |

GET /v1/reps | any | 200 | reps
GET /v1/reps/:repId | any | 200 | role active crmMemberId avatar
PATCH /v1/reps/:repId | admin | 200 |
POST /v1/reps/sync | admin | 200 | synced count reps
POST /v1/reps/bulk-invite | admin | 200 | invited failed inviteCount
POST /v1/reps/:repId/invite | admin | 200 | invited email

GET /v1/workspaces | any | 200 | plans
PATCH /v1/workspaces | admin | 200 | updated name currency
GET /v1/workspaces/keys | admin | 200 | masked isSet
GET /v1/workspaces/audit-logs | admin | 200 |
`;

const access = { public: 'public', any: 'connection', own: 'rep', manager: 'manager', admin: 'admin' } as const;

const rows = specification
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => {
    const [address = '', role, status, fields = ''] = line.split('|').map((part) => part.trim());
    return {
      address,
      role: role as keyof typeof access,
      status: Number(status),
      fields: fields.split(' ').filter(Boolean),
    };
  });

/** Section 4.1: operations and paths as the specification counts them. */
const counted = { operations: 70, paths: 60 };

const byAddress = new Map(
  (operations as readonly AnyOperation[]).map((one) => [`${one.method.toUpperCase()} ${one.path}`, one]),
);

// biome-ignore lint/suspicious/noExplicitAny: the document is read at every depth
type Loose = any;

describe('the operations of the specification', () => {
  const document: Loose = describeService();

  it('all exist', () => {
    expect(rows.map(({ address }) => address).filter((address) => !byAddress.has(address))).to.deep.equal([]);
    expect(rows).to.have.length(counted.operations);
    expect(new Set(rows.map(({ address }) => address.split(' ')[1])).size).to.equal(counted.paths);
  });

  for (const { address, role, status, fields } of rows) {
    it(`${address} needs ${role}, answers ${status} ${fields.join(', ')}`, () => {
      const operation = byAddress.get(address) as AnyOperation;
      expect({ access: operation.access, status: operation.status ?? 200 }).to.deep.equal({
        access: access[role],
        status,
      });
      const described = Object.values<Loose>(document.paths)
        .flatMap((path) => Object.values<Loose>(path))
        .find(({ operationId }) => operationId === operation.id);
      const content = described.responses[status].content?.['application/json'];
      expect([...namesIn(content?.schema)]).to.include.members(fields);
    });
  }

  it('allow connection tokens exactly the specified reads', () => {
    const readable = [...byAddress].filter(([, one]) => one.access === 'connection').map(([address]) => address);
    const stated = rows.filter(({ role }) => role === 'any').map(({ address }) => address);
    // An addition to the specification: the identity of the caller.
    expect(readable.filter((address) => address !== 'GET /v1' && !stated.includes(address))).to.deep.equal([]);
  });

  /** Names of the fields of a record, of any of several, or of the records in a list. */
  function namesIn(schema: Loose): Set<string> {
    if (schema === undefined) return new Set();
    if (schema.$ref !== undefined) return namesIn(document.components.schemas[schema.$ref.split('/').pop()]);
    const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? []), schema.items ?? {}];
    const nested = parts.filter((part) => Object.keys(part).length > 0).flatMap((part) => [...namesIn(part)]);
    return new Set([...Object.keys(schema.properties ?? {}), ...nested]);
  }
});
