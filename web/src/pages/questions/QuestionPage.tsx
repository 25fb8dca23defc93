import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useAction } from '../../api/change.js';
import { api } from '../../api/client.js';
import { breakdownQuery, disputeQuery } from '../../api/queries.js';
import { type DisputeDetail, isWaiting } from '../../api/team-queries.js';
import { findUrl } from '../../app/navigation.js';
import { useSession } from '../../app/session.js';
import blocks from '../../components/Blocks.module.css';
import { Button, buttonClass } from '../../components/Button.js';
import { Facing } from '../../components/Facing.js';
import { Loaded } from '../../components/Loaded.js';
import { DealLink, StatementLink } from '../../components/links.js';
import { Note } from '../../components/Note.js';
import { Card, Page } from '../../components/Page.js';
import { comparedRules, ofRep, type PaidRules } from '../../features/disputes/compared.js';
import { DecideDispute } from '../../features/disputes/DecideDispute.js';
import { DisputeBadge } from '../../features/disputes/DisputeBadge.js';
import { recordRead } from '../../features/disputes/read-answers.js';
import { disputeTitle, statusWords, typeWords } from '../../features/disputes/words.js';
import { lateSentence } from '../../features/lines/late-amounts.js';
import { formatTimestamp } from '../../shared/format/dates.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { CommentThread } from '../statements/CommentThread.js';

const route = getRouteApi('/_shell/questions/$disputeId');

/** One dispute: the question with its answers, and what the service had calculated then. */
export function QuestionPage() {
  const { role } = useSession();
  const { disputeId } = route.useParams();
  const dispute = useQuery(disputeQuery(disputeId));
  return (
    <Page
      title={dispute.data === undefined ? 'Question' : disputeTitle(dispute.data)}
      crumbs={[{ label: 'Questions', to: findUrl(role, 'Questions') }, { label: 'Question' }]}
      facts={dispute.data === undefined ? [] : [dispute.data.repName, formatPeriod(dispute.data.period)]}
      actions={dispute.data === undefined ? undefined : <DisputeBadge status={dispute.data.status} />}
    >
      <Loaded query={dispute} height={480}>
        {(loaded) => (
          <>
            <Asked dispute={loaded} />
            <DecideDispute dispute={loaded} />
            {loaded.dealId === null || loaded.evidence.deal === 'unknown' || loaded.evidence.deal === 'not_owned' ? (
              <Evidence dispute={loaded} now={null} />
            ) : (
              <ThenAndNow dispute={loaded} dealId={loaded.dealId} />
            )}
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
  useEffect(() => {
    if (dispute.repId === repId) recordRead(dispute);
  }, [dispute, repId]);
  const { disputeId, openedBy, openedAt, description, type, expectedAmount, currency, period } = dispute;
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
        <Said by={openedBy.name} at={openedAt} text={description} />
        {expectedAmount === null ? null : <p className="dim">Expected: {formatMoney(expectedAmount, currency)}</p>}
        {dispute.history
          .filter(({ status }) => status !== 'open')
          .map(({ status, by, note, at }) => (
            <Said key={at} by={by.name} at={at} step={statusWords[status]} text={note} />
          ))}
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

interface SaidProps {
  readonly by: string;
  readonly at: string;
  /** What became of the question; absent for the question itself. */
  readonly step?: string;
  readonly text: string | null;
}

/** A question or an answer, with who wrote it and when. */
function Said({ by, at, step, text }: SaidProps) {
  return (
    <div>
      <b className="strong">{by}</b> <span className="dim">{formatTimestamp(at)}</span>
      {step === undefined ? null : <> {step}</>}
      {text === null ? null : <p className="written">{text}</p>}
    </div>
  );
}

/** What the deal pays the person now, beside what it paid when the dispute was opened, and what is not decided about it. */
function ThenAndNow({ dispute, dealId }: { readonly dispute: DisputeDetail; readonly dealId: string }) {
  const { repId, repName } = dispute;
  const { role } = useSession();
  const now = useQuery(breakdownQuery(dealId)).data;
  const differences = now?.openDifferences.filter((openDifference) => openDifference.repId === repId) ?? [];
  const [first] = differences;
  const mayResolve = role === 'admin' || role === 'manager';
  return (
    <>
      {first === undefined ? null : (
        <Note
          tone="warning"
          icon={IconAlertTriangle}
          title={lateSentence([], differences)}
          actions={
            mayResolve ? (
              <Link
                to="/discrepancies"
                search={{ status: first.status, open: first.discrepancyId }}
                className={buttonClass()}
              >
                See the difference
              </Link>
            ) : undefined
          }
        >
          <p>
            {mayResolve
              ? `The deal changed after the statement of ${formatPeriod(first.period)} was approved. Paying the difference may answer ${repName}.`
              : `The deal changed after the statement of ${formatPeriod(first.period)} was approved.`}
          </p>
        </Note>
      )}
      <Evidence dispute={dispute} now={now === undefined ? null : ofRep(now, repId)} />
    </>
  );
}

/** What the service had calculated when the dispute was opened, and what it has now. */
function Evidence({
  dispute: { evidence, dealId, dealName },
  now,
}: {
  readonly dispute: DisputeDetail;
  readonly now: PaidRules | null;
}) {
  const { statement } = evidence;
  const rows = comparedRules(evidence, now);
  return (
    <Card
      title={now === null ? 'As calculated at that time' : 'Then and now'}
      note={
        statement.version === 0
          ? 'The statement was not generated then'
          : `The statement was ${statement.status} then, version ${statement.version}`
      }
      action={dealId === null || now === null ? undefined : <DealLink dealId={dealId} name={dealName} />}
    >
      <Facing
        rows={rows.map(({ name, before, now: present }) => [
          name,
          present === null || present === before ? before : `${before}, now ${present}`,
        ])}
      />
    </Card>
  );
}
