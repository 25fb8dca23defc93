import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction, useChange } from '../../api/change.js';
import {
  type Correction,
  correctionsQuery,
  dismissConflict,
  endCorrection,
  endEffectQuery,
} from '../../api/correction-queries.js';
import { showMessage } from '../../app/messages.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { EffectOfChange } from '../../components/EffectOfChange.js';
import { DealLink } from '../../components/links.js';
import { Card } from '../../components/Page.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatCount } from '../../shared/format/numbers.js';
import { providerName, useValueWords, valueName } from './deal-values.js';

interface CorrectionsCardProps {
  /** Null for the conflicts of all deals. */
  readonly dealId: string | null;
}

/** The values that people have corrected, and what a CRM or a file says instead. Without any there is no card. */
export function CorrectionsCard({ dealId }: CorrectionsCardProps) {
  const { data } = useQuery(correctionsQuery(dealId));
  const [ended, setEnded] = useState<Correction | null>(null);
  if (data === undefined || data.count === 0) return null;
  return (
    <>
      <Card
        title={
          dealId === null
            ? formatCount(data.count, 'corrected value differs', 'corrected values differ')
            : 'Corrected values'
        }
      >
        <p className="dim">
          Syncs and imports keep these values. {dealId === null ? 'A CRM or a file says otherwise about them.' : null}
        </p>
        <ul className={blocks.rows}>
          {data.corrections.map((correction) => (
            <Line
              key={`${correction.dealId} ${correction.name}`}
              correction={correction}
              namesDeal={dealId === null}
              onEnd={() => setEnded(correction)}
            />
          ))}
        </ul>
      </Card>
      {ended === null ? null : <EndDialog correction={ended} onClose={() => setEnded(null)} />}
    </>
  );
}

function sourceWords({ reportedBy }: Correction): string {
  return reportedBy === null ? 'a file or the API' : providerName(reportedBy);
}

/** The words for the values of the correction. */
function useCorrectionWords({ name, value, reported }: Correction) {
  return useValueWords([value, reported].map((each) => [name, each] as const));
}

interface LineProps {
  readonly correction: Correction;
  readonly namesDeal: boolean;
  readonly onEnd: () => void;
}

function Line({ correction, namesDeal, onEnd }: LineProps) {
  const words = useCorrectionWords(correction);
  const { dealId, dealName, name, value, correctedByName, correctedBy, correctedAt, reported, conflict } = correction;
  const isOpen = conflict && correction.dismissedAt === null;
  return (
    <li>
      <span>
        {namesDeal ? (
          <>
            <DealLink dealId={dealId} name={dealName} />{' '}
          </>
        ) : null}
        <b className="strong">
          {valueName(name)}: {words(name, value)}
        </b>{' '}
        <span className="dim">
          {correctedByName ?? correctedBy}, {formatDay(correctedAt.slice(0, 10), 'year')}
          {conflict ? `; ${sourceWords(correction)} says ${words(name, reported)}` : ''}
          {conflict && !isOpen ? `, dismissed by ${correction.dismissedByName ?? correction.dismissedBy}` : ''}
        </span>
      </span>
      <span className={blocks.actions}>
        {isOpen ? <KeepButton correction={correction} /> : null}
        <Button onClick={onEnd} aria-label={`End the correction of ${valueName(name)} of ${dealName ?? dealId}`}>
          {conflict ? `Use ${words(name, reported)}` : 'End'}
        </Button>
      </span>
    </li>
  );
}

/** Dismisses the conflict: it is shown again when the source states another value. */
function KeepButton({ correction }: { readonly correction: Correction }) {
  const words = useCorrectionWords(correction);
  const { dealId, dealName, name, value } = correction;
  const change = useAction({
    send: () => dismissConflict(correction),
    onDone: ({ dismissed }) =>
      showMessage(
        dismissed === 0
          ? `${sourceWords(correction)} says something else now.`
          : `${valueName(name)} stays ${words(name, value)}. It is listed again if ${sourceWords(correction)} says something else.`,
      ),
  });
  return (
    <Button
      onClick={() => change.send()}
      isBusy={change.isBusy}
      aria-label={`Keep ${words(name, value)} as ${valueName(name)} of ${dealName ?? dealId}`}
    >
      Keep {words(name, value)}
    </Button>
  );
}

function EndDialog({ correction, onClose }: { readonly correction: Correction; readonly onClose: () => void }) {
  const words = useCorrectionWords(correction);
  const effect = useQuery(endEffectQuery(correction));
  const change = useChange({
    send: () => endCorrection(correction),
    onDone: () => {
      showMessage('The correction ended. Commission is calculated again.');
      onClose();
    },
  });
  const { name, value, reported, conflict } = correction;
  return (
    <Dialog
      title={`End the correction of ${valueName(name)}`}
      onClose={onClose}
      onSubmit={() => change.send()}
      change={change}
      action={{ children: conflict ? `Use ${words(name, reported)}` : 'End the correction' }}
    >
      <p>
        {conflict
          ? `The value becomes ${words(name, reported)}, was ${words(name, value)}.`
          : `The value stays ${words(name, value)}.`}{' '}
        Later syncs and imports change it again.
      </p>
      <EffectOfChange query={effect} what="change" />
    </Dialog>
  );
}
