import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Answer, api } from './client.js';
import { type PersonalEffect } from './effect-queries.js';

export type PersonDetails = Answer<'getRep'>;
export type Absence = Answer<'listAbsences'>['absences'][number];
export type Ramp = Answer<'listRamps'>['ramps'][number];

export const personQuery = (repId: string) =>
  queryOptions({
    queryKey: ['rep', repId],
    queryFn: ({ signal }) => api.getRep({ params: { repId } }, { signal }),
  });

export const absencesQuery = (repId: string) =>
  queryOptions({
    queryKey: ['absences', repId],
    queryFn: async ({ signal }) => (await api.listAbsences({ query: { repId } }, { signal })).absences,
  });

export const rampsQuery = queryOptions({
  queryKey: ['ramps'],
  queryFn: async ({ signal }) => (await api.listRamps({}, { signal })).ramps,
});

/** The quotas of one person, with the targets that count. */
export const quotasOfPersonQuery = (repId: string) =>
  queryOptions({
    queryKey: ['quotas', repId],
    queryFn: ({ signal }) => api.listQuotas({ query: { repId } }, { signal }),
  });

export interface AbsenceTerms {
  readonly from: string;
  readonly to: string;
  readonly quotaRelief: number;
  readonly variableRelief: number;
  readonly note: string | null;
}

/** Enters the absence, or changes the one with the id; with `dryRun` it only says what that would do. */
export function sendAbsence(repId: string, absenceId: string | null, terms: AbsenceTerms, dryRun = false) {
  const query = { dryRun: dryRun ? ('true' as const) : ('false' as const) };
  return absenceId === null
    ? api.createAbsence({ query, body: { repId, ...terms } })
    : api.updateAbsence({ params: { absenceId }, query, body: terms });
}

export interface AbsenceEffect {
  readonly effect: PersonalEffect | null;
  /** Whether no rule of the person prorates quotas, so that the absence changes nothing. */
  readonly isWithoutProration: boolean;
}

/** What an absence would do to commission. */
export const absenceEffectQuery = (repId: string, absenceId: string | null, terms: AbsenceTerms) =>
  queryOptions({
    queryKey: ['dry-run', 'absence', repId, absenceId, terms],
    queryFn: async (): Promise<AbsenceEffect> => {
      const { effect = null, warnings = [] } = await sendAbsence(repId, absenceId, terms, true);
      return { effect, isWithoutProration: warnings.length > 0 };
    },
    placeholderData: keepPreviousData,
    retry: false,
  });

/** What the removal of an absence would do to commission. */
export const absenceRemovalQuery = (absenceId: string) =>
  queryOptions({
    queryKey: ['dry-run', 'absence-removal', absenceId],
    queryFn: async ({ signal }): Promise<PersonalEffect | null> =>
      (await api.deleteAbsence({ params: { absenceId }, query: { dryRun: 'true' } }, { signal })).effect ?? null,
    retry: false,
  });

type Employment = Pick<PersonDetails, 'hireDate' | 'endDate'>;

/** What other days of employment would do to commission. */
export const employmentEffectQuery = (repId: string, employment: Employment) =>
  queryOptions({
    queryKey: ['dry-run', 'employment', repId, employment],
    queryFn: async ({ signal }): Promise<PersonalEffect | null> => {
      const change = { params: { repId }, query: { dryRun: 'true' }, body: employment } as const;
      return (await api.updateRep(change, { signal })).effect ?? null;
    },
    placeholderData: keepPreviousData,
    retry: false,
  });

type AssignmentTerms = Parameters<typeof api.updateAssignment>[0]['body'];

/** What other days or another ramp of an assignment would do to commission. */
export const assignmentEffectQuery = (assignmentId: string, terms: AssignmentTerms) =>
  queryOptions({
    queryKey: ['dry-run', 'assignment', assignmentId, terms],
    queryFn: async ({ signal }): Promise<PersonalEffect | null> => {
      const change = { params: { assignmentId }, query: { dryRun: 'true' }, body: terms } as const;
      return (await api.updateAssignment(change, { signal })).effect ?? null;
    },
    placeholderData: keepPreviousData,
    retry: false,
  });

type NewAssignments = Parameters<typeof api.previewAssignments>[0]['body'];

/** What assigning people to a plan would do to commission. */
export const newAssignmentsEffectQuery = (terms: NewAssignments) =>
  queryOptions({
    queryKey: ['dry-run', 'assignments', terms],
    queryFn: async ({ signal }): Promise<PersonalEffect | null> =>
      (await api.previewAssignments({ body: terms }, { signal })).effect,
    placeholderData: keepPreviousData,
    retry: false,
  });

interface ManagerChange {
  readonly managerId: string | null;
  readonly managerFrom?: string;
}

/** What another manager of a person would do to commission. */
export const managerEffectQuery = (repId: string, change: ManagerChange) =>
  queryOptions({
    queryKey: ['dry-run', 'manager', repId, change],
    queryFn: async ({ signal }): Promise<PersonalEffect | null> => {
      const request = { params: { repId }, query: { dryRun: 'true' }, body: change } as const;
      return (await api.updateRep(request, { signal })).effect ?? null;
    },
    placeholderData: keepPreviousData,
    retry: false,
  });
