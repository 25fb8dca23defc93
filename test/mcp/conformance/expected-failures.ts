/** A scenario that the service fails, because it needs something that only the reference server of the suite has. */
interface ExpectedFailure {
  /** What the scenario needs. */
  readonly needs: string;
  /** The message of every check that may fail: any other message is a failure of the service. */
  readonly message: RegExp;
}

const tool = (name: string): ExpectedFailure => ({
  needs: `the tool ${name}, with a result that the scenario prescribes`,
  message: /Unknown tool\. tools\/list lists the tools/,
});
const prompt = (name: string): ExpectedFailure => ({
  needs: `the prompt ${name}, with a text that the scenario prescribes`,
  message: /Unknown prompt\. prompts\/list lists the prompts/,
});
const resource = (uri: string): ExpectedFailure => ({
  needs: `the resource ${uri}, with a content that the scenario prescribes`,
  message: /No resource has this URI/,
});
const method = (needs: string): ExpectedFailure => ({ needs, message: /Method not found/ });
const untestable = (needs: string): ExpectedFailure => ({
  needs,
  message: /^Not testable: server (exposes no tool|does not list the diagnostic tool)/,
});
/** The suite runs the scenarios of optional extensions without requiring them. */
const tasks: ExpectedFailure = {
  needs: 'the extension io.modelcontextprotocol/tasks, which is optional: the service has its own jobs',
  message: /./,
};

/** The scenarios of the server suite that the service fails, in every version of the protocol that has them. */
export const expectedFailures: Readonly<Record<string, ExpectedFailure>> = {
  'completion-complete': {
    needs: 'the prompt test_prompt_with_arguments',
    message: /Unknown reference: no prompt or resource template is called so/,
  },
  'elicitation-sep1034-defaults': tool('test_elicitation_sep1034_defaults'),
  'elicitation-sep1330-enums': tool('test_elicitation_sep1330_enums'),
  'http-custom-header-server-validation': untestable('a tool with arguments that clients also send as headers'),
  'input-required-result-basic-elicitation': tool('test_input_required_result_elicitation'),
  'input-required-result-basic-list-roots': tool('test_input_required_result_list_roots'),
  'input-required-result-basic-sampling': tool('test_input_required_result_sampling'),
  'input-required-result-capability-check': tool('test_input_required_result_capabilities'),
  'input-required-result-multi-round': {
    needs: 'the tool test_input_required_result_multi_round',
    message: /^Expected InputRequiredResult with inputRequests and requestState$/,
  },
  'input-required-result-multiple-input-requests': tool('test_input_required_result_multiple_inputs'),
  'input-required-result-non-tool-request': prompt('test_input_required_result_prompt'),
  'input-required-result-request-state': tool('test_input_required_result_request_state'),
  'input-required-result-result-type': tool('test_input_required_result_elicitation'),
  'input-required-result-tampered-state': {
    needs: 'the tool test_input_required_result_tampered_state',
    message: /^Prerequisite failed: could not get initial InputRequiredResult with requestState$/,
  },
  'json-schema-2020-12': {
    needs: 'the tool json_schema_2020_12_tool, with keywords of schemas that the scenario prescribes',
    message: /^Tool 'json_schema_2020_12_tool' not found/,
  },
  'logging-set-level': method('the capability logging, which servers may leave out: the service sends no log messages'),
  'prompts-get-embedded-resource': prompt('test_prompt_with_embedded_resource'),
  'prompts-get-simple': prompt('test_simple_prompt'),
  'prompts-get-with-args': prompt('test_prompt_with_arguments'),
  'prompts-get-with-image': prompt('test_prompt_with_image'),
  'resources-read-binary': resource('test://static-binary'),
  'resources-read-text': resource('test://static-text'),
  'resources-subscribe': method('the capability to subscribe to resources, which servers may leave out'),
  'resources-templates-read': resource('test://template/{id}/data'),
  'resources-unsubscribe': method('the capability to subscribe to resources, which servers may leave out'),
  'server-stateless': untestable('the tools test_missing_capability, test_streaming_elicitation and test_logging_tool'),
  'tasks-capability-negotiation': tasks,
  'tasks-dispatch-and-envelope': tasks,
  'tasks-lifecycle': tasks,
  'tasks-mrtr-composition': tasks,
  'tasks-mrtr-input': tasks,
  'tasks-request-headers': tasks,
  'tasks-request-state-removal': tasks,
  'tasks-required-task-error': tasks,
  'tasks-wire-fields': tasks,
  'tools-call-audio': tool('test_audio_content'),
  'tools-call-elicitation': tool('test_elicitation'),
  'tools-call-embedded-resource': tool('test_embedded_resource'),
  'tools-call-error': tool('test_error_handling'),
  'tools-call-image': tool('test_image_content'),
  'tools-call-mixed-content': tool('test_multiple_content_types'),
  'tools-call-sampling': tool('test_sampling'),
  'tools-call-simple-text': tool('test_simple_text'),
  'tools-call-with-logging': method('the tool test_tool_with_logging, and the capability logging'),
  'tools-call-with-progress': tool('test_tool_with_progress'),
};
