import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller, roles } from '../../kernel/caller.js';
import { UnitOfWork, type Work } from '../../platform/database/unit-of-work.js';
import { type Input, operation } from '../../platform/operation.js';
import { findWorkspace } from '../../workspaces/workspace-views.js';

const response = z.object({
  repId: z.string().nullable(),
  email: z.string().optional(),
  name: z.string().optional(),
  role: z.enum(roles).optional(),
  workspace: z.object({ workspaceId: z.string(), name: z.string(), currency: z.string(), timezone: z.string() }),
});

@injectable()
export class GetProfile {
  constructor(@inject(UnitOfWork) private readonly unitOfWork: UnitOfWork) {}

  async execute(_input: Input, caller: Caller): Promise<z.input<typeof response>> {
    return this.unitOfWork.run(caller, 'reads', async (trx) => {
      const { workspaceId, name, currency, timezone } = await findWorkspace(trx, caller.workspaceId);
      return {
        repId: caller.repId,
        ...(await personOf(trx, caller)),
        workspace: { workspaceId, name, currency, timezone },
      };
    });
  }
}

/** A key is nobody. */
async function personOf(trx: Work, { workspaceId, repId }: Caller) {
  if (repId === null) return {};
  return trx
    .selectFrom('reps')
    .select(['email', 'name', 'role'])
    .where('workspace_id', '=', workspaceId)
    .where('rep_id', '=', repId)
    .executeTakeFirstOrThrow();
}

export const getProfile = operation({
  id: 'getProfile',
  summary: 'Who you are, and in which workspace; a key is nobody, and has repId null',
  method: 'get',
  path: '/auth/me',
  access: 'rep',
  response,
  failures: {},
  handler: GetProfile,
});
