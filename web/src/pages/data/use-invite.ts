import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { showMessage, showProblem } from '../../app/messages.js';
import { formatCount } from '../../shared/format/numbers.js';

/** Invites one person, or several and says who could not be invited. */
export function useInvite(onDone?: () => void) {
  return useChange({
    send: async (repIds: readonly string[]) => {
      const [only] = repIds;
      if (repIds.length !== 1 || only === undefined) return api.bulkInviteReps({ body: { repIds: [...repIds] } });
      await api.inviteRep({ params: { repId: only } });
      return { inviteCount: 1, failed: [] };
    },
    onDone: ({ inviteCount, failed }) => {
      const others = failed.length === 0 ? '' : `, ${failed.length} not: the plan of the workspace has no more seats`;
      showMessage(`${formatCount(inviteCount, 'person', 'people')} invited${others}.`);
      onDone?.();
    },
    onFailed: showProblem,
  });
}
