import { IconChevronDown, IconChevronUp, IconCopy, IconMessageCircleQuestion, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useRouter } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { disputesQuery, type Explanation, explanationQuery, isWaiting } from '../../api/queries.js';
import { copyText } from '../../app/clipboard.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedDialog } from '../../app/persisted-state.js';
import { useSession } from '../../app/session.js';
import { Button, ButtonContent, buttonClass, IconButton } from '../../components/Button.js';
import { KeyHints } from '../../components/Kbd.js';
import { Loaded } from '../../components/Loaded.js';
import { HeroMoney } from '../../components/Money.js';
import { SideDrawer } from '../../components/SideDrawer.js';
import { TraceSteps } from '../../components/TraceSteps.js';
import { disputeKey } from '../disputes/words.js';
import { kindWords } from '../lines/words.js';
import { buildSteps, describeTitle, formatExplanation, headWords } from './steps.js';
import styles from './TraceDrawer.module.css';

const DisputeDialog = lazy(() =>
  import('../disputes/DisputeDialog.js').then((module) => ({ default: module.DisputeDialog })),
);

export interface TraceDrawerProps {
  readonly eventId: string;
  /** The lines of the page, in their order, for previous and next. */
  readonly eventIds: readonly string[];
  /** The period of the statement that a question is about; default: that of the amount. */
  readonly period?: string;
}

/** Closing is the way back to the page that opened the drawer, whatever was shown in it meanwhile. */
function useTraceAddress() {
  const navigate = useNavigate();
  const { history } = useRouter();
  const search = (trace: string | undefined) => ((present: object) => ({ ...present, trace })) as never;
  return {
    onShow: (eventId: string) => void navigate({ to: '.', search: search(eventId), replace: true, state: true }),
    onClose: () => {
      if (history.location.state.isOpenedHere === true) history.back();
      else void navigate({ to: '.', search: search(undefined), replace: true });
    },
  };
}

/** Explains one amount. Its id is in the address of the page. */
export function TraceDrawer({ eventId, eventIds, period }: TraceDrawerProps) {
  const { onShow, onClose } = useTraceAddress();
  const explanation = useQuery(explanationQuery(eventId));
  const [isAsking, setAsking] = usePersistedDialog(disputeKey(period ?? '', eventId));
  const session = useSession();
  const repId = explanation.data?.event.repId;
  const openDispute = useQuery({ ...disputesQuery({ repId }), enabled: repId !== undefined }).data?.disputes.find(
    (dispute) => dispute.eventId === eventId && isWaiting(dispute),
  );
  const position = eventIds.indexOf(eventId);
  const [previous, next] = position < 0 ? [] : [eventIds[position - 1], eventIds[position + 1]];
  const isLoading = explanation.data === undefined;
  const copy = async (loaded: Explanation) => {
    if (await copyText(formatExplanation(loaded, buildSteps(loaded, session)))) showMessage('The steps were copied.');
  };
  const footer = (
    <>
      <Button icon={IconCopy} disabled={isLoading} onClick={() => explanation.data && copy(explanation.data)}>
        Copy as text
      </Button>
      {openDispute === undefined ? (
        <Button icon={IconMessageCircleQuestion} disabled={isLoading} onClick={() => setAsking(true)}>
          Ask about this line
        </Button>
      ) : (
        <Link to="/questions/$disputeId" params={{ disputeId: openDispute.disputeId }} className={buttonClass()}>
          <ButtonContent icon={IconMessageCircleQuestion}>See the question</ButtonContent>
        </Link>
      )}
      <span className={styles.hint}>
        <KeyHints hints={[{ keys: ['Esc'], action: 'close' }]} />
      </span>
    </>
  );
  return (
    <SideDrawer label="How this amount was computed" onClose={onClose} footer={footer}>
      <div className={styles.buttons}>
        <IconButton
          icon={IconChevronUp}
          label="Previous line"
          disabled={previous === undefined}
          onClick={() => previous && onShow(previous)}
        />
        <IconButton
          icon={IconChevronDown}
          label="Next line"
          disabled={next === undefined}
          onClick={() => next && onShow(next)}
        />
        <IconButton icon={IconX} label="Close" onClick={onClose} />
      </div>
      <Loaded query={explanation} height={480}>
        {(loaded) => (
          <>
            <TraceHead explanation={loaded} position={position} count={eventIds.length} />
            <TraceSteps steps={buildSteps(loaded, session)} />
          </>
        )}
      </Loaded>
      <Suspense fallback={null}>
        {isAsking && explanation.data !== undefined ? (
          <DisputeDialog
            period={period ?? explanation.data.event.period}
            event={explanation.data.event}
            onClose={() => setAsking(false)}
          />
        ) : null}
      </Suspense>
    </SideDrawer>
  );
}

interface TraceHeadProps {
  readonly explanation: Explanation;
  readonly position: number;
  readonly count: number;
}

function TraceHead({ explanation, position, count }: TraceHeadProps) {
  const { event } = explanation;
  return (
    <div className={styles.head}>
      <p className={`second ${styles.rule}`}>
        {event.ruleName ?? kindWords[event.kind]}
        {position < 0 ? '' : `, line ${position + 1} of ${count}`}
      </p>
      <h2 className={styles.title}>{describeTitle(explanation)}</h2>
      <p className={styles.amount}>
        <HeroMoney amount={event.amount} currency={event.currency} />
      </p>
      <p className={styles.base}>{headWords(explanation)}</p>
    </div>
  );
}
