import { z } from 'zod';
import { mayActAs } from '../../../kernel/caller.js';
import { Failure } from '../../../kernel/failure.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { ToolRunner } from '../../../platform/mcp/tool-runner.js';
import { operation } from '../../../platform/operations/operation.js';
import { pathId, requireUuid } from '../../../platform/operations/schemas.js';
import { readBasis } from '../basis.js';
import { alreadyDecided, changeRequest, changeRequestExample, changeRequestNotFound } from '../change-request.js';
import { findPending, storeShown } from '../change-request-store.js';
import { readChangeRequest } from '../change-request-views.js';
import { previewChange } from '../preview-change.js';

const params = z.strictObject({ changeRequestId: pathId.describe('Id of the change request (UUID)') });

export const previewChangeRequest = operation({
  id: 'previewChangeRequest',
  summary: 'Calculate again what a change of a plan would do that an agent has requested; changes no commission',
  method: 'post',
  path: '/v1/change-requests/:changeRequestId/preview',
  access: 'rep',
  payroll: true,
  scope: null,
  params,
  response: changeRequest,
  failures: { already_decided: 409, no_preview: 409, plan_not_found: 404, plan_too_complex: 400 },
  example: { params: { changeRequestId: changeRequestExample.id }, response: changeRequestExample },
  uses: { unitOfWork: UnitOfWork, runner: ToolRunner, clock: CLOCK },
  async execute({ params: { changeRequestId } }, caller, { unitOfWork, runner, clock }) {
    const requestId = requireUuid(changeRequestId, 'not_found', changeRequestNotFound().message);
    const repId = mayActAs(caller, 'admin') ? null : caller.repId;
    const read = () => unitOfWork.read(caller, (tx) => readChangeRequest(tx, { requestId, repId }));
    const pending = await unitOfWork.read(caller, (tx) => findPending(tx, { requestId, repId }));
    if (pending === null) throw alreadyDecided(await read());
    const { basis } = await unitOfWork.read(caller, (tx) => readBasis(tx, runner, pending));
    const previewed = await previewChange({ unitOfWork, runner, clock }, caller, pending);
    if (previewed.preview === null)
      throw new Failure('no_preview', 'The change moves no amounts, or its preview takes too long.');
    const stored = { ...previewed, basis: { ...basis, isForPerson: true } };
    await unitOfWork.write(caller, (tx) => storeShown(tx, requestId, stored));
    return read();
  },
});
