import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type Answer, api } from '../../api/client.js';
import { disputeQuery } from '../../api/queries.js';
import { useSession } from '../../app/session.js';
import { Button } from '../../components/Button.js';
import { Facing } from '../../components/Facing.js';
import { Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { DecideDispute } from '../../disputes/DecideDispute.js';
import { DisputeBadge } from '../../disputes/DisputeBadge.js';
import { disputeTitle, statusWords, typeWords } from '../../disputes/words.js';
import { formatTimestamp } from '../../format/dates.js';
import { formatMoney } from '../../format/numbers.js';
import { formatPeriod } from '../../format/periods.js';
import { reasonWords } from '../../plans/words.js';
import { CommentThread } from '../statements/CommentThread.js';

const route = getRouteApi('/_shell/questions/$disputeId');
type Detail = Answer<'getDispute'>;

/** One dispute: the question, what the service had calculated then, and the steps since. */
export function QuestionPage() {
  const { role } = useSession();
  const { disputeId } = route.useParams();
  const dispute = useQuery(disputeQuery(disputeId));
  return (
    <Page
      title={dispute.data === undefined ? 'Question' : disputeTitle(dispute.data)}
      crumbs={[{ label: 'Questions', to: role === 'rep' ? '/me/questions' : '/questions' }, { label: 'Question' }]}
      facts={dispute.data === undefined ? [] : [dispute.data.repName, formatPeriod(dispute.data.period)]}
      actions={dispute.data === undefined ? undefined : <DisputeBadge status={dispute.data.status} />}
    >
      <Loaded query={dispute} height={480}>
        {(loaded) => (
          <>
            <Asked dispute={loaded} />
            <DecideDispute dispute={loaded} />
            <Evidence dispute={loaded} />
            <History dispute={loaded} />
            <Card>
              <CommentThread repId={loaded.repId} period={loaded.period} />
            </Card>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Asked({ dispute }: { readonly dispute: Detail }) {
  const { repId } = useSession();
  const queryClient = useQueryClient();
  const { disputeId, openedBy, status, description, type, expectedAmount, currency, period } = dispute;
  const withdraw = useMutation({
    mutationFn: () => api.updateDispute({ params: { disputeId }, body: { status: 'withdrawn' } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['dispute', disputeId] }),
  });
  const isOpen = status === 'open' || status === 'in_review';
  return (
    <Card
      title={typeWords(type)}
      action={
        <Link to="/statements/$repId" params={{ repId: dispute.repId }} search={{ period }}>
          Statement of {formatPeriod(period)}
        </Link>
      }
    >
      <p style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{description}</p>
      {expectedAmount === null ? null : <p className="dim">Expected: {formatMoney(expectedAmount, currency)}</p>}
      {isOpen && openedBy.repId === repId ? (
        <p style={{ marginTop: 16 }}>
          <Button isBusy={withdraw.isPending} onClick={() => withdraw.mutate()}>
            Withdraw
          </Button>
        </p>
      ) : null}
    </Card>
  );
}

/** What the service had calculated when the dispute was opened. */
function Evidence({ dispute: { evidence } }: { readonly dispute: Detail }) {
  const { events, outcomes, statement } = evidence;
  return (
    <Card
      title="As calculated at that time"
      note={`Net payout ${formatMoney(statement.netPayout, statement.currency)}`}
    >
      <Facing
        rows={[
          [
            'Statement',
            statement.version === 0 ? 'not generated' : `${statement.status}, version ${statement.version}`,
          ],
          ...events.map(
            ({ ruleName, amount, currency, kind }) => [ruleName ?? kind, formatMoney(amount, currency)] as const,
          ),
          ...outcomes
            .filter(({ paid }) => !paid)
            .map(
              ({ ruleName, reason }) =>
                [ruleName ?? 'No rule', reasonWords[reason ?? ''] ?? 'It paid nothing.'] as const,
            ),
        ]}
      />
    </Card>
  );
}

function History({ dispute: { history } }: { readonly dispute: Detail }) {
  return (
    <Card title="Steps">
      <Facing
        rows={history.map(({ status, by, note, at }) => [
          `${statusWords[status]}, ${by.name}, ${formatTimestamp(at)}`,
          note ?? '',
        ])}
      />
    </Card>
  );
}
