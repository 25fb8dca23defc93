import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { Failure } from '../../kernel/failure.js';
import { workspaceToday } from '../../people/reps/rep-views.js';
import { type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type ToolRunner } from '../../platform/mcp/tool-runner.js';
import { type ToolCall } from './basis.js';
import {
  comparedDays,
  movedFigures,
  type PreviewResponse,
  type StoredPreview,
  toStoredPreview,
} from './change-preview.js';

export interface PreviewParts {
  readonly unitOfWork: UnitOfWork;
  readonly runner: ToolRunner;
  readonly clock: Clock;
}

export interface Previewed {
  /** Null for a change without a preview, and if the calculation takes too long. */
  readonly preview: StoredPreview | null;
  /** The reps whose commission the change moves. */
  readonly moves: readonly string[];
}

export const notPreviewed: Previewed = { preview: null, moves: [] };

/** What the change would do to commission. Throws for a change that would fail, such as one of a plan that does not exist. */
export async function previewChange(
  { unitOfWork, runner, clock }: PreviewParts,
  caller: Caller,
  { tool, input }: ToolCall,
): Promise<Previewed> {
  const today = await unitOfWork.read(caller, (tx) => workspaceToday(tx, clock));
  const days = comparedDays(today);
  const outcome = await runner.preview(tool, input, days, caller);
  if (outcome === null) return notPreviewed;
  if ('failed' in outcome) {
    const { code, message, details } = outcome.failed;
    throw new Failure(code, message, details);
  }
  const response = outcome.response as PreviewResponse;
  const preview = toStoredPreview(response, days);
  if (preview === null) return notPreviewed;
  return { preview, moves: [...new Set(movedFigures(response).map(({ repId }) => repId))] };
}
