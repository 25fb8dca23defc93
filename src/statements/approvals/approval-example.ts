import { sampleIds } from '../../kernel/sample-ids.js';
import { type Approval } from './approval.js';

const signer = { repId: sampleIds.managerId, name: 'Mia Manager' };

export const approvalExample: Approval = {
  done: 1,
  of: 2,
  contentHash: '1d6a3d1c-98fc-8b3e-8f0e-0a7f2d9c4b5a',
  next: { name: 'Finance', by: [], since: '2026-03-03T09:00:00.000Z', due: '2026-03-06', blockedBy: 'no_signer' },
  steps: [
    { name: 'Manager', status: 'signed', signedBy: signer, signedAt: '2026-03-03T09:00:00.000Z', version: 1 },
    { name: 'Finance', status: 'next' },
  ],
};
