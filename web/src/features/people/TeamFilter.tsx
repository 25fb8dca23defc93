import { useQuery } from '@tanstack/react-query';
import { peopleQuery } from '../../api/payroll-queries.js';
import blocks from '../../components/Blocks.module.css';
import { FilterField } from '../../components/FilterField.js';
import { containsText } from '../../shared/format/texts.js';

/** Fewer people fit on a page. */
const minPeople = 15;

interface TeamFilterProps {
  /** Number of people in the unfiltered list. */
  readonly people: number;
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** Restricts a long list of people to some names, or to the team of a manager. */
export function TeamFilter({ people, text, onText }: TeamFilterProps) {
  if (people < minPeople && text === '') return null;
  return (
    <div className={blocks.filters}>
      <FilterField label="Name or manager" text={text} onText={onText} />
    </div>
  );
}

/** Whether the text is part of the name of the person, or of today's manager. */
export function useTeamFilter(text: string): (repId: string, name: string) => boolean {
  const reps = useQuery({ ...peopleQuery, enabled: text !== '' }).data?.reps ?? [];
  const names = new Map(reps.map(({ id, name }) => [id, name]));
  const managers = new Map(reps.map(({ id, managerId }) => [id, names.get(managerId ?? '') ?? '']));
  return (repId, name) => text === '' || containsText(text, name, managers.get(repId) ?? '');
}
