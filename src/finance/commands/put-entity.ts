import { z } from 'zod';
import { recordAuditEntry } from '../../audit/audit-entry.js';
import { Failure } from '../../kernel/failure.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { text } from '../../platform/operations/schemas.js';
import { entity, entityExample, entityTerms, toEntityResponse } from '../entity.js';
import { saveEntity } from '../entity-store.js';
import { findEntity, requireAccounting } from '../settings-views.js';

const { code, currency: _, ...terms } = entityExample;

export const putEntity = operation({
  id: 'putEntity',
  summary: 'Set the name, the payroll tax and the accounts of a company whose books are kept',
  method: 'put',
  path: '/v1/accounting/entities/:code',
  access: 'admin',
  params: z.strictObject({ code: text(30).describe('Code of the entity: main') }),
  body: z.strictObject(entityTerms),
  response: entity,
  failures: { accounting_off: 409, entity_not_found: 404 },
  example: { params: { code }, body: terms, response: entityExample },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params, body }, caller, { unitOfWork, clock }): Promise<z.input<typeof entity>> {
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      await requireAccounting(tx);
      const present = await findEntity(tx, params.code);
      if (present === null)
        throw new Failure('entity_not_found', 'There is no entity with this code in this workspace.');
      const payrollTax = body.payrollTax
        .map(({ from, percent }) => ({ from, percent: String(percent) }))
        .sort((a, b) => (a.from < b.from ? 1 : -1));
      const changed = { ...present, ...body, payrollTax, accounts: { ...body.accounts } };
      await saveEntity(tx, changed, clock.now());
      await recordAuditEntry(tx, caller, {
        trigger: 'accounting_entity_changed',
        scope: 'accounting',
        details: { entity: present.code, before: toEntityResponse(present), after: toEntityResponse(changed) },
        at: clock.now(),
      });
      return toEntityResponse(changed);
    });
  },
});
