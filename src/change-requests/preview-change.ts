import { type Caller } from '../kernel/caller.js';
import { type Clock } from '../kernel/clock.js';
import { Failure } from '../kernel/failure.js';
import { type UnitOfWork } from '../platform/database/unit-of-work.js';
import { type ToolRunner } from '../platform/mcp/tool-runner.js';
import { type RawInput } from '../platform/operation-dispatcher.js';
import { workspaceToday } from '../reps/rep-views.js';
import { comparedDays, type PreviewAnswer, type StoredPreview, toStoredPreview } from './change-preview.js';

interface PreviewParts {
  readonly unitOfWork: UnitOfWork;
  readonly runner: ToolRunner;
  readonly clock: Clock;
}

/**
 * What the change would do to commission; null for a change without a preview, and if the calculation takes too long.
 * Throws for a change that would fail, such as one of a plan that does not exist.
 */
export async function previewChange(
  { unitOfWork, runner, clock }: PreviewParts,
  caller: Caller,
  { tool, input }: { readonly tool: string; readonly input: RawInput },
): Promise<StoredPreview | null> {
  const today = await unitOfWork.read(caller, (trx) => workspaceToday(trx, caller.workspaceId, clock));
  const days = comparedDays(today);
  const outcome = await runner.preview(tool, input, days, caller);
  if (outcome === null) return null;
  if ('answer' in outcome) return toStoredPreview(outcome.answer as PreviewAnswer, days);
  const { code, message, details, statusCode } = outcome.failed;
  // Other previews are still calculated, or the service failed: the change itself may be possible.
  if (code === 'rate_limited' || statusCode >= 500) return null;
  throw new Failure(code, message, details);
}
