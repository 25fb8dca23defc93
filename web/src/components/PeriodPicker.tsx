import { Popover } from '@mantine/core';
import { IconChevronDown, IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { formatDays } from '../shared/format/dates.js';
import {
  daysOf,
  formatMonth,
  formatPeriod,
  hasDays,
  isFiscal,
  listFiscalYears,
  type PeriodLength,
  periodsOfYear,
  shiftPeriod,
} from '../shared/format/periods.js';
import { useShortcuts } from '../shared/keys/shortcuts.js';
import styles from './PeriodPicker.module.css';
import { Segments } from './Segments.js';

interface PeriodPickerProps {
  readonly period: string;
  readonly onChange: (period: string) => void;
  /** The lengths that can be chosen, in months. Default: months, quarters and years. */
  readonly lengths?: readonly PeriodLength[];
}

/** The period of a page, with arrows to its neighbours; `[` and `]` do the same. */
export function PeriodPicker({ period, onChange, lengths = [1, 3, 12] }: PeriodPickerProps) {
  const [isOpen, setOpen] = useState(false);
  const move = (count: number) => {
    const target = shiftPeriod(period, count);
    if (hasDays(target)) onChange(target);
  };
  useShortcuts({ '[': () => move(-1), ']': () => move(1) });
  const choose = (chosen: string) => {
    setOpen(false);
    onChange(chosen);
  };
  return (
    <div className={styles.picker}>
      <Arrow period={period} count={-1} onMove={move} />
      <Popover opened={isOpen} onChange={setOpen} position="bottom-end" trapFocus returnFocus withinPortal>
        <Popover.Target>
          <button
            type="button"
            className={styles.current}
            aria-label={`Period: ${formatPeriod(period)}`}
            onClick={() => setOpen(!isOpen)}
          >
            <span className="num">{formatPeriod(period)}</span>
            <IconChevronDown size={14} aria-hidden="true" />
          </button>
        </Popover.Target>
        <Popover.Dropdown className={styles.dropdown} aria-label="Choose a period">
          <Choices period={period} lengths={lengths} onChoose={choose} />
        </Popover.Dropdown>
      </Popover>
      <Arrow period={period} count={1} onMove={move} />
    </div>
  );
}

interface ArrowProps {
  readonly period: string;
  readonly count: 1 | -1;
  readonly onMove: (count: number) => void;
}

function Arrow({ period, count, onMove }: ArrowProps) {
  const target = shiftPeriod(period, count);
  const isKnown = hasDays(target);
  const label = `${count < 0 ? 'Previous' : 'Next'} period: ${isKnown ? formatPeriod(target) : 'in no fiscal year'}`;
  const Glyph = count < 0 ? IconChevronLeft : IconChevronRight;
  return (
    <button
      type="button"
      className={styles.arrow}
      title={label}
      aria-label={label}
      disabled={!isKnown}
      onClick={() => onMove(count)}
    >
      <Glyph size={14} aria-hidden="true" />
    </button>
  );
}

interface ChoicesProps {
  readonly period: string;
  readonly lengths: readonly PeriodLength[];
  readonly onChoose: (period: string) => void;
}

function Choices({ period, lengths, onChoose }: ChoicesProps) {
  const [calendar, setCalendar] = useState<'calendar' | 'fiscal'>(isFiscal(period) ? 'fiscal' : 'calendar');
  const fiscalYears = listFiscalYears();
  const [year, setYear] = useState(Number(period.replace('FY', '').slice(0, 4)));
  const { months, quarters, year: whole } = periodsOfYear(year, calendar);
  const isOffered = (candidate: number) => calendar === 'calendar' || fiscalYears.includes(candidate);
  const choose = (name: 'calendar' | 'fiscal') => {
    setCalendar(name);
    if (name === 'fiscal' && !fiscalYears.includes(year)) setYear(fiscalYears.at(-1) ?? year);
  };
  const choice = (value: string, label: string) => (
    <button
      key={value}
      type="button"
      className={styles.choice}
      aria-pressed={value === period}
      aria-label={formatPeriod(value)}
      title={isFiscal(value) ? formatDays(daysOf(value), 'long') : undefined}
      onClick={() => onChoose(value)}
    >
      {label}
    </button>
  );
  return (
    <>
      {fiscalYears.length === 0 || !lengths.includes(3) ? null : (
        <Segments<'calendar' | 'fiscal'>
          label="Calendar"
          current={calendar}
          onChange={choose}
          choices={[
            ['calendar', 'Calendar'],
            ['fiscal', 'Fiscal'],
          ]}
        />
      )}
      <div className={styles.year}>
        <button
          type="button"
          className={styles.arrow}
          aria-label={`Year ${year - 1}`}
          disabled={!isOffered(year - 1)}
          onClick={() => setYear(year - 1)}
        >
          <IconChevronLeft size={14} aria-hidden="true" />
        </button>
        <span className="num strong">{formatPeriod(whole)}</span>
        <button
          type="button"
          className={styles.arrow}
          aria-label={`Year ${year + 1}`}
          disabled={!isOffered(year + 1)}
          onClick={() => setYear(year + 1)}
        >
          <IconChevronRight size={14} aria-hidden="true" />
        </button>
      </div>
      {lengths.includes(1) ? (
        <div className={styles.months}>{months.map((month) => choice(month, formatMonth(month, 'short')))}</div>
      ) : null}
      {lengths.includes(3) ? (
        <div className={styles.quarters}>{quarters.map((quarter) => choice(quarter, quarter.slice(-2)))}</div>
      ) : null}
      {lengths.includes(12) ? (
        <div className={styles.quarters}>{choice(whole, `Year ${formatPeriod(whole)}`)}</div>
      ) : null}
    </>
  );
}
