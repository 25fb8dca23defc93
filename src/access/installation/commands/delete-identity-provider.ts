import { sql } from 'kysely';
import { z } from 'zod';
import { Failure } from '../../../kernel/failure.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { pathId, requireUuid } from '../../../platform/operations/schemas.js';
import { IdentityProviders } from '../../auth/oidc/identity-providers.js';
import { providerExample } from '../installation.js';
import { assertOperator } from '../operator.js';

const notFound = ['provider_not_found', 'This identity provider does not exist any more.'] as const;

export const deleteIdentityProvider = operation({
  id: 'deleteIdentityProvider',
  summary: 'Remove an identity provider from the sign-in page; sessions stay',
  method: 'delete',
  path: '/v1/installation/identity-providers/:id',
  access: 'admin',
  stepUp: 'always',
  scope: null,
  params: z.object({ id: pathId.describe('Id (UUID) of the identity provider') }),
  response: z.object({ deleted: z.literal(true).describe('Always true') }),
  failures: { not_operator: 409, provider_not_found: 404 },
  example: { params: { id: providerExample.id }, response: { deleted: true } },
  uses: { unitOfWork: UnitOfWork, providers: IdentityProviders },
  async execute({ params }, caller, { unitOfWork, providers }): Promise<{ deleted: true }> {
    await unitOfWork.write(caller, async (tx) => {
      await assertOperator(tx, caller);
      const id = requireUuid(params.id, ...notFound);
      const { rows } = await sql<{ deleted: boolean }>`
        select delete_identity_provider(${id}) as deleted`.execute(tx.db);
      if (rows[0]?.deleted !== true) throw new Failure(...notFound);
    });
    providers.reloadButtons();
    return { deleted: true };
  },
});
