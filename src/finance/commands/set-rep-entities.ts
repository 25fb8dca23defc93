import { z } from 'zod';
import { fields, pathIds } from '../../api/resource-fields.js';
import { recordAuditEntry } from '../../audit/audit-entry.js';
import { invalid } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { repNotFound } from '../../people/reps/rep.js';
import { assertRepExists } from '../../people/reps/rep-views.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { requireUuid } from '../../platform/operations/schemas.js';
import { inOrderOfDays, loadRepEntities, type RepEntity, repEntities, storeRepEntities } from '../rep-entities.js';
import { listEntities, requireAccounting } from '../settings-views.js';

const params = z.strictObject({ repId: pathIds.repId });
const response = z.object({ repId: fields.repId, entities: repEntities });
const uses = { unitOfWork: UnitOfWork, clock: CLOCK };
const example = {
  repId: sampleIds.repId,
  entities: [{ entity: 'us' }, { from: '2026-03-01', entity: 'uk' }],
};

export const getRepEntities = operation({
  id: 'getRepEntities',
  summary: 'The companies to which a person belongs in the books, by day',
  method: 'get',
  path: '/v1/reps/:repId/entities',
  access: 'admin',
  payroll: true,
  scope: 'payroll',
  params,
  response,
  failures: { accounting_off: 409, rep_not_found: 404 },
  example: { params: { repId: sampleIds.repId }, response: example },
  uses,
  async execute({ params: { repId: rawId } }, caller, { unitOfWork }): Promise<z.input<typeof response>> {
    const repId = requireUuid(rawId, 'rep_not_found', repNotFound().message);
    return unitOfWork.read(caller, async (tx) => {
      await requireAccounting(tx);
      await assertRepExists(tx, repId);
      return toResponse(repId, (await loadRepEntities(tx, [repId])).get(repId) ?? []);
    });
  },
});

export const setRepEntities = operation({
  id: 'setRepEntities',
  summary:
    'Set to which companies a person belongs in the books, by day; what closed months posted moves in the first open one',
  method: 'put',
  path: '/v1/reps/:repId/entities',
  access: 'admin',
  params,
  body: z.strictObject({ entities: repEntities }),
  response,
  failures: { accounting_off: 409, rep_not_found: 404 },
  example: { params: { repId: sampleIds.repId }, body: { entities: example.entities }, response: example },
  uses,
  async execute({ params: { repId: rawId }, body }, caller, { unitOfWork, clock }): Promise<z.input<typeof response>> {
    const repId = requireUuid(rawId, 'rep_not_found', repNotFound().message);
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      await requireAccounting(tx);
      await assertRepExists(tx, repId);
      await assertEntities(tx, body.entities);
      const before = (await loadRepEntities(tx, [repId])).get(repId) ?? [];
      const entities = inOrderOfDays(body.entities);
      const at = clock.now();
      await storeRepEntities(tx, [{ repId, entities }], at);
      const details = { before, after: entities };
      await recordAuditEntry(tx, caller, { trigger: 'rep_entities_changed', scope: 'accounting', repId, details, at });
      return toResponse(repId, entities);
    });
  },
});

async function assertEntities(tx: Transaction, entities: readonly RepEntity[]): Promise<void> {
  const codes = (await listEntities(tx)).map(({ code }) => code);
  for (const [index, { from, entity }] of entities.entries()) {
    if (!codes.includes(entity))
      throw invalid({ path: `entities.${index}.entity`, message: `is none of ${codes.join(', ')}` });
    if (entities.findIndex((other) => other.from === from) < index)
      throw invalid({ path: `entities.${index}.from`, message: 'is the day of an earlier entity' });
  }
}

function toResponse(repId: string, entities: readonly RepEntity[]): z.input<typeof response> {
  return { repId, entities: entities.map(({ from, entity }) => (from === undefined ? { entity } : { from, entity })) };
}
