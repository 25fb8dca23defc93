/** The ids that the examples of the API description use. No workspace contains them. */
export const sampleIds = {
  workspaceId: '7b1f0c52-9c1b-4c53-8d1c-0a7f6f5e4d3c',
  repId: '0d5a3a4e-6d0c-4f1b-9a53-6a1f4f7f2b10',
  managerId: '5c0e9f7a-2b52-4f1e-8a0e-3c1d2e4f5a6b',
  planId: 'a4d2c8e0-1f3b-4e5d-9c7a-8b6f5e4d3c2b',
  planVersionId: 'b5e3d9f1-204c-4f6e-8d8b-9c7a6f5e4d3c',
  ruleId: 'c6f4ea02-315d-4a7f-9e9c-ad8b7a6f5e4d',
  assignmentId: 'd7a5fb13-426e-4b8a-afad-be9c8b7a6f5e',
  absenceId: 'a1c8e2d4-7b3f-4e6a-9d5c-2f1e0b9a8c7d',
  rampId: 'b2d9f3e5-8c40-4f7b-8e6d-3a2f1c0b9d8e',
  quotaId: 'e8b60c24-537f-4c9b-b0be-cfad9c8b7a6f',
  jobId: 'f9c71d35-6480-4dac-81cf-d0bead9c8b7a',
  statementId: '2b3c4d5e-6f7a-4b9c-8d1e-2f3a4b5c6d7e',
  eventId: '3c4d5e6f-7a8b-4c9d-8e1f-3a4b5c6d7e8f',
  disputeId: '4d5e6f70-8b9c-4d1e-8f30-4b5c6d7e8f90',
  discrepancyId: '5e6f7081-9cad-4e2f-9041-5c6d7e8f9001',
  dealId: 'D-1',
} as const;
