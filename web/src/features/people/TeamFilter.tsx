import { useQuery } from '@tanstack/react-query';
import { peopleQuery } from '../../api/payroll-queries.js';
import blocks from '../../components/Blocks.module.css';
import { FilterField } from '../../components/FilterField.js';
import { containsText } from '../../shared/format/texts.js';
import { matchesWords } from './person-filter.js';

/** Fewer people fit on a page. */
const minPeople = 15;

interface TeamFilterProps {
  /** Number of people in the unfiltered list. */
  readonly people: number;
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** Restricts a long list of people to some names, or to a team. */
export function TeamFilter({ people, text, onText }: TeamFilterProps) {
  if (people < minPeople && text === '') return null;
  return (
    <div className={blocks.filters}>
      <FilterField label="Name, manager or team" text={text} onText={onText} />
    </div>
  );
}

/** Whether the words are in what is known of the person: the name, today's manager, the team, the title, the location. */
export function useTeamFilter(text: string): (repId: string, name: string) => boolean {
  const reps = useQuery({ ...peopleQuery, enabled: text !== '' }).data?.reps ?? [];
  const byId = new Map(reps.map((person) => [person.id, person]));
  return (repId, name) => {
    const person = byId.get(repId);
    if (text === '' || person === undefined) return containsText(text, name);
    return matchesWords(text, person, byId.get(person.managerId ?? '')?.name ?? '');
  };
}
