import { createHash } from 'node:crypto';
import { z } from 'zod';
import { seesTeam } from '../../../kernel/caller.js';
import { readCacheVersions, selectCacheVersion } from '../../../platform/database/cache-versions.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';

const response = z.object({
  revision: z.string().describe('Differs from an earlier response if data that the caller may see could have changed'),
});

export const getRevision = operation({
  id: 'getRevision',
  summary: 'A text that changes with the data of the workspace; compare it to learn when to read again',
  method: 'get',
  path: '/v1/revision',
  access: 'rep',
  payroll: true,
  scope: 'any',
  response,
  failures: {},
  example: { response: { revision: 'Zk1gR9wL4xQh0aB7cD2eFg' } },
  uses: { unitOfWork: UnitOfWork },
  /** A hash, so that a rep does not see how often the data of others changes. */
  async execute(_input, caller, { unitOfWork }): Promise<z.input<typeof response>> {
    const versions = await unitOfWork.read(caller, (tx) => readCacheVersions(tx.db, caller.workspaceId));
    const seen = selectCacheVersion(versions, seesTeam(caller) ? null : caller.repId);
    return { revision: createHash('sha256').update(seen).digest('base64url').slice(0, 22) };
  },
});
