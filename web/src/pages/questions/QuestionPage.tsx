import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useAction } from '../../api/change.js';
import { api } from '../../api/client.js';
import { disputeQuery } from '../../api/queries.js';
import { type DisputeDetail, isWaiting } from '../../api/team-queries.js';
import { addressOf } from '../../app/navigation.js';
import { useSession } from '../../app/session.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Facing } from '../../components/Facing.js';
import { Loaded } from '../../components/Loaded.js';
import { StatementLink } from '../../components/links.js';
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

/** One dispute: the question, what the service had calculated then, and the steps since. */
export function QuestionPage() {
  const { role } = useSession();
  const { disputeId } = route.useParams();
  const dispute = useQuery(disputeQuery(disputeId));
  return (
    <Page
      title={dispute.data === undefined ? 'Question' : disputeTitle(dispute.data)}
      crumbs={[{ label: 'Questions', to: addressOf(role, 'Questions') }, { label: 'Question' }]}
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

function Asked({ dispute }: { readonly dispute: DisputeDetail }) {
  const { repId } = useSession();
  const { disputeId, openedBy, description, type, expectedAmount, currency, period } = dispute;
  const withdraw = useAction({
    send: () => api.updateDispute({ params: { disputeId }, body: { status: 'withdrawn' } }),
  });
  return (
    <Card
      title={typeWords(type)}
      action={
        <StatementLink repId={dispute.repId} period={period} className="strong">
          Statement of {formatPeriod(period)}
        </StatementLink>
      }
    >
      <div className={blocks.stack}>
        <p className="written">{description}</p>
        {expectedAmount === null ? null : <p className="dim">Expected: {formatMoney(expectedAmount, currency)}</p>}
        {isWaiting(dispute) && openedBy.repId === repId ? (
          <div>
            <Button isBusy={withdraw.isBusy} onClick={() => withdraw.send()}>
              Withdraw
            </Button>
          </div>
        ) : null}
      </div>
    </Card>
  );
}

/** What the service had calculated when the dispute was opened. */
function Evidence({ dispute: { evidence } }: { readonly dispute: DisputeDetail }) {
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

function History({ dispute: { history } }: { readonly dispute: DisputeDetail }) {
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
