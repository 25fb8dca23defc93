import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Change, useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { fiscalYearsEffectQuery, fiscalYearsQuery } from '../../api/fiscal-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { queryClient } from '../../app/query-client.js';
import { useToday } from '../../app/today.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { EffectOfChange } from '../../components/EffectOfChange.js';
import { Choice, TextField } from '../../components/Field.js';
import { Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import {
  chained,
  drawYear,
  type FiscalYear,
  followingYear,
  isWhole,
  patternChoices,
  yearDays,
} from '../../features/fiscal/years.js';
import { formatDay, formatDays } from '../../shared/format/dates.js';
import { formatCount } from '../../shared/format/numbers.js';
import { type FiscalYears, shortPeriod } from '../../shared/format/periods.js';
import styles from './FiscalCalendar.module.css';
import { HolidaysCard } from './HolidaysCard.js';

/** The fiscal years of the workspace, each as a bar of its periods. */
export function FiscalCalendarPage() {
  const years = useQuery(fiscalYearsQuery);
  return (
    <Page
      title="Fiscal calendar"
      crumbs={[{ label: 'Fiscal calendar' }]}
      facts={['The years of your company, for rules, quotas and statements by fiscal periods']}
    >
      <Loaded query={years} height={480}>
        {(stored) => <Years stored={stored} />}
      </Loaded>
      <HolidaysCard />
    </Page>
  );
}

function Years({ stored }: { readonly stored: FiscalYears }) {
  const today = useToday();
  const form = usePersistedForm<{ readonly years: FiscalYears }>('fiscal-years', { years: stored });
  const { years } = form.values;
  const [isAsked, setAsked] = useState(false);
  const setYears = (next: FiscalYears) => form.change({ years: chained(next) });
  const save = useChange({
    send: () => api.setFiscalYears({ body: [...years] }),
    onDone: async () => {
      setAsked(false);
      await queryClient.invalidateQueries({ queryKey: fiscalYearsQuery.queryKey });
      form.clear();
      showMessage('The fiscal calendar was saved.');
    },
  });
  const isRead = years.every(isWhole);
  return (
    <>
      {years.length === 0 ? (
        <Card title="Your year is the calendar year">
          <p>
            Add a fiscal year if the year of your company begins on another day than January 1, or if its months are
            weeks. Quarters of the calendar keep their meaning.
          </p>
        </Card>
      ) : null}
      {years.map((year, index) => (
        <Year
          // biome-ignore lint/suspicious/noArrayIndexKey: the number of a year is edited in its card
          key={index}
          fiscal={year}
          isFirst={index === 0}
          isLast={index === years.length - 1}
          onChange={(next) => setYears(years.with(index, next))}
          onRemove={() => setYears(years.slice(0, -1))}
        />
      ))}
      <div className={blocks.saveLine}>
        <span className="dim">Each year begins on the day after the one before it ends.</span>
        <Button icon={IconPlus} disabled={!isRead} onClick={() => setYears([...years, followingYear(years, today)])}>
          Add a year
        </Button>
        <Button disabled={!form.isChanged} onClick={form.clear}>
          Discard
        </Button>
        <Button kind="primary" size="final" disabled={!form.isChanged || !isRead} onClick={() => setAsked(true)}>
          Save calendar
        </Button>
      </div>
      {isAsked ? <SaveDialog years={years} save={save} onClose={() => setAsked(false)} /> : null}
    </>
  );
}

interface YearProps {
  readonly fiscal: FiscalYear;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onChange: (fiscal: FiscalYear) => void;
  readonly onRemove: () => void;
}

/** Only the first year has a number and a start to choose: the others follow it. */
function Year({ fiscal, isFirst, isLast, onChange, onRemove }: YearProps) {
  const isDrawn = isWhole(fiscal);
  return (
    <Card
      title={`FY${fiscal.year}`}
      note={isDrawn ? formatDays(yearDays(fiscal), 'year') : undefined}
      action={
        isLast ? (
          <Button icon={IconTrash} kind="quiet" onClick={onRemove}>
            Remove FY{fiscal.year}
          </Button>
        ) : undefined
      }
    >
      <div className={styles.fields}>
        {isFirst ? (
          <>
            <TextField
              label="Number of the year"
              type="number"
              value={String(fiscal.year)}
              onChange={({ currentTarget }) => onChange({ ...fiscal, year: Number(currentTarget.value) })}
            />
            <TextField
              label="First day"
              type="date"
              value={fiscal.start}
              onChange={({ currentTarget }) => onChange({ ...fiscal, start: currentTarget.value })}
            />
          </>
        ) : null}
        <Choice
          label="Periods"
          value={fiscal.pattern}
          choices={patternChoices}
          onChange={({ currentTarget }) =>
            onChange({ ...fiscal, pattern: currentTarget.value as FiscalYear['pattern'] })
          }
        />
        {fiscal.pattern === 'months' ? null : (
          <Choice
            label="Weeks"
            value={String(fiscal.weeks)}
            choices={[
              ['52', '52 weeks'],
              ['53', '53 weeks, the last period is longer'],
            ]}
            onChange={({ currentTarget }) => onChange({ ...fiscal, weeks: currentTarget.value === '53' ? 53 : 52 })}
          />
        )}
      </div>
      {isDrawn ? <YearBar fiscal={fiscal} /> : null}
    </Card>
  );
}

/** The year as a bar, as wide as its days: quarters of three periods. On a phone, one quarter below the other. */
function YearBar({ fiscal }: { readonly fiscal: FiscalYear }) {
  return (
    <ul className={styles.bar} aria-label={`Periods of FY${fiscal.year}`}>
      {drawYear(fiscal).map(({ period, from, to, days, periods }) => (
        <li key={period} className={styles.quarter} style={{ flexGrow: days }}>
          <p className={styles.name}>
            <span className="strong">{shortPeriod(period)}</span>{' '}
            <span className="dim">{formatDays({ from, to }, 'year')}</span>
          </p>
          <ul className={styles.periods}>
            {periods.map((part) => (
              <li key={part.period} className={styles.period} style={{ flexGrow: part.days }}>
                <span className="strong">{shortPeriod(part.period)}</span>
                <span className={styles.day}>{formatDay(part.from)}</span>
                <span className="dim">{formatCount(part.days, 'day')}</span>
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}

interface SaveDialogProps {
  readonly years: FiscalYears;
  readonly save: Change;
  readonly onClose: () => void;
}

/** What the years move, before they are stored. */
function SaveDialog({ years, save, onClose }: SaveDialogProps) {
  const effect = useQuery(fiscalYearsEffectQuery(years));
  return (
    <Dialog
      title="Save the fiscal calendar"
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      action={{ children: 'Save' }}
    >
      <EffectOfChange query={effect} what="change" />
      <p className="dim">Approved statements do not change.</p>
    </Dialog>
  );
}
