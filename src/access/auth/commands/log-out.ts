import { z } from 'zod';
import { Failure } from '../../../kernel/failure.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { deleteToken } from '../../../platform/secrets/token-store.js';
import { recordSessionEntry } from '../session-store.js';

export const logOut = operation({
  id: 'logOut',
  summary: 'End this session',
  method: 'post',
  path: '/auth/logout',
  access: 'rep',
  payroll: true,
  finance: true,
  response: z.object({ loggedOut: z.literal(true).describe('Always true') }),
  failures: {},
  example: { response: { loggedOut: true } },
  uses: { unitOfWork: UnitOfWork },
  async execute(_input, caller, { unitOfWork }): Promise<{ loggedOut: true }> {
    const { repId } = caller;
    if (caller.tokenKind !== 'sess' || repId === null)
      throw new Failure(
        'forbidden',
        'Only a session can be logged out. Rotate keys and delete connection tokens instead.',
      );
    await unitOfWork.write(caller, async (tx) => {
      await deleteToken(tx, 'sess', caller.tokenId ?? null);
      await recordSessionEntry(tx, repId, 'logout');
    });
    return { loggedOut: true };
  },
});
