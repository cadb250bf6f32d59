// Made by npm run build:plugin from src/doors/cli. Do not edit.
import { createRequire } from "node:module";
import { appendFileSync, chmodSync, closeSync, existsSync, linkSync, lstatSync, mkdirSync, openSync, readFileSync, readdirSync, readlinkSync, realpathSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { homedir, userInfo } from "node:os";
import { fileURLToPath } from "node:url";
import { parse } from "jsonc-parser";
//#region src/doors/cli/hooks/agents/payload.ts
var isPayload = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
/** The value if it is a text and not empty. */
var textOf$1 = (value) => typeof value === "string" && value.trim() !== "" ? value : void 0;
var partOf = (value) => isPayload(value) ? value : {};
/** Some agents pass arguments as JSON in a string. */
function objectOf(value) {
	if (typeof value !== "string") return partOf(value);
	try {
		return partOf(JSON.parse(value));
	} catch {
		return {};
	}
}
var numberOf = (value) => typeof value === "number" && Number.isInteger(value) ? value : void 0;
/**
* The exit code that an agent writes into the text for its model. The pattern of each agent says the exact place: the
* output of a command may speak of exit codes too.
*/
function exitCodeIn(text, pattern) {
	const found = pattern.exec(text);
	return found ? Number(found[1]) : null;
}
/** The exit code in the result of a tool, by the names that agents use for it. */
function exitCodeOf(result) {
	const meta = partOf(result.metadata);
	return [
		result.exitCode,
		result.exit_code,
		meta.exit,
		meta.exitCode,
		meta.exit_code
	].map(numberOf).find((code) => code !== void 0) ?? null;
}
/** A command that runs on when its agent goes on: how it ends is unknown, whatever it has printed so far. */
var begun = (command) => ({
	kind: "command",
	run: {
		command,
		exitCode: null,
		output: ""
	}
});
/** The text in the result of a tool. */
function outputOf(result) {
	if (typeof result === "string") return result;
	const { stdout, stderr, output, llmContent, content, text } = partOf(result);
	return [
		stdout,
		stderr,
		output,
		llmContent,
		content,
		text
	].filter((part) => typeof part === "string" && part !== "").join("\n");
}
/** The form that Claude Code introduced and others adopted. */
var asAdditionalContext = (hookEventName, additionalContext) => ({
	output: JSON.stringify({ hookSpecificOutput: {
		hookEventName,
		additionalContext
	} }),
	exitCode: 0
});
//#endregion
//#region src/doors/cli/hooks/agents/claude-code.ts
var SHELLS$1 = /* @__PURE__ */ new Set(["Bash", "PowerShell"]);
var EDITORS$3 = /* @__PURE__ */ new Set([
	"Edit",
	"MultiEdit",
	"Write",
	"NotebookEdit"
]);
/**
* Events whose answer reaches the model. The output of PreCompact becomes an instruction for the summary, so it
* prints nothing.
*/
var INJECTED$5 = /* @__PURE__ */ new Set([
	"SessionStart",
	"UserPromptSubmit",
	"PostToolUse",
	"PostToolUseFailure"
]);
/** Sources of prompts from a person. The client makes other prompts itself: a timer, a finished task, another session. */
var BY_A_PERSON = /* @__PURE__ */ new Set(["user", "sdk"]);
function started$1({ source }) {
	if (source === "compact") return {
		kind: "start",
		after: "compaction"
	};
	return {
		kind: "start",
		after: source === "resume" || source === "fork" ? "pause" : "nothing"
	};
}
function used$5(payload) {
	const input = partOf(payload.tool_input);
	const tool = String(payload.tool_name);
	const command = textOf$1(input.command);
	const file = textOf$1(input.file_path) ?? textOf$1(input.notebook_path);
	if (EDITORS$3.has(tool) && file) return {
		kind: "edit",
		files: [file]
	};
	if (!SHELLS$1.has(tool) || !command) return void 0;
	const { backgroundTaskId } = partOf(payload.tool_response);
	if (input.run_in_background === true || textOf$1(backgroundTaskId)) return begun(command);
	return {
		kind: "command",
		run: {
			command,
			exitCode: 0,
			output: outputOf(payload.tool_response)
		}
	};
}
var FIRST_LINE = /^Exit code (\d{1,3})(?:\r?\n|$)/;
/** A failed command comes as text: the exit code in the first line, then the output. */
function failed$1(payload) {
	const command = textOf$1(partOf(payload.tool_input).command);
	const error = textOf$1(payload.error);
	if (!SHELLS$1.has(String(payload.tool_name)) || !command || !error || payload.is_interrupt === true) return void 0;
	return {
		kind: "command",
		run: {
			command,
			exitCode: exitCodeIn(error, FIRST_LINE) ?? 1,
			output: error
		}
	};
}
function prompted({ prompt, source }) {
	const words = textOf$1(prompt);
	if (!words || source !== void 0 && !BY_A_PERSON.has(String(source))) return void 0;
	return {
		kind: "prompt",
		prompt: words
	};
}
function stopped$1(payload) {
	if (payload.stop_hook_active === true) return void 0;
	return {
		kind: "stop",
		words: {
			transcript: textOf$1(payload.transcript_path),
			reply: textOf$1(payload.last_assistant_message)
		}
	};
}
var READERS$1 = {
	SessionStart: started$1,
	UserPromptSubmit: prompted,
	PostToolUse: used$5,
	PostToolUseFailure: failed$1,
	PreCompact: () => ({ kind: "compact" }),
	Stop: stopped$1,
	SessionEnd: () => ({ kind: "end" })
};
var claudeCode = {
	name: "claude-code",
	read: (event, payload) => {
		if (payload.cursor_version !== void 0) return void 0;
		const happening = READERS$1[event]?.(payload);
		return happening && {
			...happening,
			sessionId: textOf$1(payload.session_id),
			folder: textOf$1(payload.cwd)
		};
	},
	inject: (event, text) => INJECTED$5.has(event) ? asAdditionalContext(event, text) : void 0
};
//#endregion
//#region src/doors/cli/hooks/agents/codex.ts
var INJECTED$4 = /* @__PURE__ */ new Set([
	"SessionStart",
	"UserPromptSubmit",
	"PostToolUse"
]);
/** `*** Update File: src/a.ts`, in the patch that the agent applies. */
var PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (.{1,500})$/gm;
function started({ source }) {
	if (source === "compact") return {
		kind: "start",
		after: "compaction"
	};
	return {
		kind: "start",
		after: source === "resume" ? "pause" : "nothing"
	};
}
/** Codex passes the output of a command as plain text, without the exit code; the capture finds that in the transcript. */
function used$4(payload) {
	const command = textOf$1(partOf(payload.tool_input).command);
	if (!command) return void 0;
	if (payload.tool_name === "apply_patch") return {
		kind: "edit",
		files: [...command.matchAll(PATCHED)].map(([, file = ""]) => file)
	};
	if (payload.tool_name !== "Bash") return void 0;
	const output = outputOf(payload.tool_response);
	return {
		kind: "command",
		run: {
			command,
			exitCode: exitCodeOf(partOf(payload.tool_response)),
			output,
			id: textOf$1(payload.tool_use_id)
		}
	};
}
function happening$5(event, payload) {
	const prompt = textOf$1(payload.prompt);
	if (event === "SessionStart") return started(payload);
	if (event === "UserPromptSubmit") return prompt ? {
		kind: "prompt",
		prompt
	} : void 0;
	if (event === "PostToolUse") return used$4(payload);
	if (event === "PreCompact") return { kind: "compact" };
	if (event === "SessionEnd") return { kind: "end" };
	if (event !== "Stop" || payload.stop_hook_active === true) return void 0;
	return {
		kind: "stop",
		words: {
			reply: textOf$1(payload.last_assistant_message),
			transcript: textOf$1(payload.transcript_path)
		}
	};
}
var codex = {
	name: "codex",
	read: (event, payload) => {
		const found = happening$5(event, payload);
		return found && {
			...found,
			sessionId: textOf$1(payload.session_id),
			folder: textOf$1(payload.cwd)
		};
	},
	inject: (event, text) => INJECTED$4.has(event) ? asAdditionalContext(event, text) : void 0
};
//#endregion
//#region src/doors/cli/hooks/agents/copilot.ts
var SHELLS = /* @__PURE__ */ new Set(["bash", "powershell"]);
/** The last line of the text for the model. */
var LAST_LINE = /<exited with exit code (\d{1,3})>\s*$/;
/** Also the last line: `<command started in background with shellId: 1>`, `<command with shellId: 1 is still running …>`. */
var RUNS_ON = /<command (?:started in|with shellId:) [^\n>]{1,500}>\s*$/;
var EDITORS$2 = /* @__PURE__ */ new Set(["edit", "create"]);
/** Commands whose failure a pipe hides come as used, not as failed. */
var INJECTED$3 = /* @__PURE__ */ new Set(["sessionStart", "postToolUse"]);
/** According to the documentation, the model sees the output of a hook for a failed tool if the hook ends with this code. */
var SHOWN_TO_MODEL = 2;
function command(payload, output, exitCode) {
	const line = textOf$1(objectOf(payload.toolArgs).command);
	if (!SHELLS.has(String(payload.toolName)) || !line) return void 0;
	if (exitCode === null && RUNS_ON.test(output)) return begun(line);
	return {
		kind: "command",
		run: {
			command: line,
			exitCode,
			output
		}
	};
}
function used$3(payload) {
	const file = textOf$1(objectOf(payload.toolArgs).path);
	if (EDITORS$2.has(String(payload.toolName)) && file) return {
		kind: "edit",
		files: [file]
	};
	const output = outputOf(partOf(payload.toolResult).textResultForLlm);
	return command(payload, output, exitCodeIn(output, LAST_LINE));
}
function happening$4(event, payload) {
	const prompt = textOf$1(payload.prompt);
	const error = textOf$1(payload.error);
	if (event === "sessionStart") return {
		kind: "start",
		after: payload.source === "resume" ? "pause" : "nothing"
	};
	if (event === "userPromptSubmitted") return prompt ? {
		kind: "prompt",
		prompt
	} : void 0;
	if (event === "postToolUse") return used$3(payload);
	if (event === "postToolUseFailure") return error ? command(payload, error, exitCodeIn(error, LAST_LINE) ?? 1) : void 0;
	if (event === "preCompact") return { kind: "compact" };
	if (event === "agentStop") return {
		kind: "stop",
		words: { transcript: textOf$1(payload.transcriptPath) }
	};
	return event === "sessionEnd" ? { kind: "end" } : void 0;
}
var copilot = {
	name: "copilot",
	read: (event, payload) => {
		const found = happening$4(event, payload);
		return found && {
			...found,
			sessionId: textOf$1(payload.sessionId),
			folder: textOf$1(payload.cwd)
		};
	},
	inject: (event, text) => {
		if (INJECTED$3.has(event)) return {
			output: JSON.stringify({ additionalContext: text }),
			exitCode: 0
		};
		return event === "postToolUseFailure" ? {
			output: text,
			exitCode: SHOWN_TO_MODEL
		} : void 0;
	}
};
//#endregion
//#region src/doors/cli/hooks/agents/cursor.ts
var INJECTED$2 = /* @__PURE__ */ new Set(["sessionStart", "postToolUse"]);
/** The result of a tool is JSON in a string, with the exit code as a field. */
function used$2(payload) {
	const command = textOf$1(partOf(payload.tool_input).command);
	if (payload.tool_name !== "Shell" || !command) return void 0;
	const result = objectOf(payload.tool_output);
	const output = outputOf(result) || outputOf(payload.tool_output);
	return {
		kind: "command",
		run: {
			command,
			exitCode: exitCodeOf(result),
			output
		}
	};
}
/** Cursor ignores an answer here, so this is only for the capture. It names a reason and no exit code. */
function failed(payload) {
	const command = textOf$1(partOf(payload.tool_input).command);
	const error = textOf$1(payload.error_message);
	if (payload.tool_name !== "Shell" || !command || !error || payload.is_interrupt === true) return void 0;
	return {
		kind: "command",
		run: {
			command,
			exitCode: 1,
			output: error
		}
	};
}
function happening$3(event, payload) {
	const [prompt, file, reply] = [
		payload.prompt,
		payload.file_path,
		payload.text
	].map(textOf$1);
	if (event === "sessionStart") return {
		kind: "start",
		after: "nothing"
	};
	if (event === "beforeSubmitPrompt") return prompt ? {
		kind: "prompt",
		prompt
	} : void 0;
	if (event === "postToolUse") return used$2(payload);
	if (event === "postToolUseFailure") return failed(payload);
	if (event === "afterFileEdit") return file ? {
		kind: "edit",
		files: [file]
	} : void 0;
	if (event === "afterAgentResponse") return reply ? {
		kind: "reply",
		reply
	} : void 0;
	if (event === "preCompact") return { kind: "compact" };
	if (event === "stop") return {
		kind: "stop",
		words: {}
	};
	return event === "sessionEnd" ? { kind: "end" } : void 0;
}
/** Only commands have a folder; otherwise the first root of the window is the project. */
function folderOf({ cwd, workspace_roots }) {
	return textOf$1(Array.isArray(workspace_roots) ? workspace_roots[0] : void 0) ?? textOf$1(cwd);
}
var cursor = {
	name: "cursor",
	read: (event, payload) => {
		const found = happening$3(event, payload);
		const sessionId = textOf$1(payload.conversation_id) ?? textOf$1(payload.session_id);
		return found && {
			...found,
			sessionId,
			folder: folderOf(payload)
		};
	},
	inject: (event, text) => INJECTED$2.has(event) ? {
		output: JSON.stringify({ additional_context: text }),
		exitCode: 0
	} : void 0
};
//#endregion
//#region src/doors/cli/hooks/agents/gemini.ts
var INJECTED$1 = /* @__PURE__ */ new Set([
	"SessionStart",
	"BeforeAgent",
	"AfterTool"
]);
var EDITORS$1 = /* @__PURE__ */ new Set(["write_file", "replace"]);
/** Gemini CLI puts the text of earlier hooks before the person's words. */
var BY_HOOKS = /^\s{0,10}<hook_context>[\s\S]*?<\/hook_context>\s*/;
function personsWords(prompt) {
	let words = textOf$1(prompt);
	while (words && BY_HOOKS.test(words)) words = textOf$1(words.replace(BY_HOOKS, ""));
	return words;
}
/** Only these lines come after the exit code. */
var AFTER_OUTPUT = /(?:^|\n)Exit Code: (\d{1,3})(?:\n(?:Signal|Background PIDs|Process Group PGID): [^\n]*)*(?:\n<\/untrusted_context>)?\s*$/;
/**
* The text for the model has `Exit Code: 1` after the output, and nothing if the command succeeded. An output that ends
* with such a line is skipped first.
*/
function exitCodeAfter(output, told) {
	const start = output === void 0 ? -1 : told.indexOf(`Output: ${output}`);
	return exitCodeIn(start < 0 ? told : told.slice(start + `Output: ${output}`.length), AFTER_OUTPUT);
}
/** What stands in place of the output of a command that has not ended. */
var NOT_ENDED = /^(?:<untrusted_context>\s*)?Command (?:moved to background|was (?:automatically )?cancelled)\b/;
function used$1(payload) {
	const input = partOf(payload.tool_input);
	const file = textOf$1(input.file_path);
	const command = textOf$1(input.command);
	if (EDITORS$1.has(String(payload.tool_name)) && file) return {
		kind: "edit",
		files: [file]
	};
	if (payload.tool_name !== "run_shell_command" || !command) return void 0;
	const response = partOf(payload.tool_response);
	const told = outputOf(response.llmContent);
	if (input.is_background === true || NOT_ENDED.test(told)) return begun(command);
	const output = textOf$1(response.returnDisplay);
	return {
		kind: "command",
		run: {
			command,
			exitCode: exitCodeOf(partOf(response.data)) ?? exitCodeAfter(output, told) ?? (response.error ? 1 : 0),
			output: output ?? told
		}
	};
}
function stopped(payload) {
	if (payload.stop_hook_active === true) return void 0;
	return {
		kind: "stop",
		words: {
			prompt: personsWords(payload.prompt),
			reply: textOf$1(payload.prompt_response)
		}
	};
}
/** PreCompress is ignored: it comes before every request, whether something is compressed or not. */
function happening$2(event, payload) {
	const prompt = personsWords(payload.prompt);
	if (event === "SessionStart") return {
		kind: "start",
		after: payload.source === "resume" ? "pause" : "nothing"
	};
	if (event === "BeforeAgent") return prompt ? {
		kind: "prompt",
		prompt
	} : void 0;
	if (event === "AfterTool") return used$1(payload);
	if (event === "AfterAgent") return stopped(payload);
	return event === "SessionEnd" ? { kind: "end" } : void 0;
}
var gemini = {
	name: "gemini",
	read: (event, payload) => {
		const found = happening$2(event, payload);
		return found && {
			...found,
			sessionId: textOf$1(payload.session_id),
			folder: textOf$1(payload.cwd)
		};
	},
	inject: (event, text) => INJECTED$1.has(event) ? asAdditionalContext(event, text) : void 0
};
//#endregion
//#region src/doors/cli/hooks/agents/opencode.ts
var INJECTED = /* @__PURE__ */ new Set([
	"session.created",
	"chat.message",
	"tool.execute.after",
	"session.compacting"
]);
var EDITORS = /* @__PURE__ */ new Set([
	"edit",
	"write",
	"patch",
	"multiedit"
]);
/** Our plugin in plugins/opencode writes these payloads, from what opencode passes to its plugins. */
function used(payload) {
	const args = payload.args ?? {};
	const command = textOf$1(args.command);
	const file = textOf$1(args.filePath);
	if (EDITORS.has(String(payload.tool)) && file) return {
		kind: "edit",
		files: [file]
	};
	if (payload.tool !== "bash" || !command) return void 0;
	return {
		kind: "command",
		run: {
			command,
			exitCode: exitCodeOf(payload),
			output: outputOf(payload.output)
		}
	};
}
function happening$1(event, payload) {
	const prompt = textOf$1(payload.prompt);
	if (event === "session.created") return {
		kind: "start",
		after: payload.resumed === true ? "pause" : "nothing"
	};
	if (event === "chat.message") return prompt ? {
		kind: "prompt",
		prompt
	} : void 0;
	if (event === "tool.execute.after") return used(payload);
	if (event === "session.compacting") return { kind: "compact" };
	return event === "session.idle" ? {
		kind: "stop",
		words: { reply: textOf$1(payload.reply) }
	} : void 0;
}
var opencode = {
	name: "opencode",
	read: (event, payload) => {
		const found = happening$1(event, payload);
		return found && {
			...found,
			sessionId: textOf$1(payload.sessionID),
			folder: textOf$1(payload.directory)
		};
	},
	inject: (event, text) => INJECTED.has(event) ? {
		output: JSON.stringify({ text }),
		exitCode: 0
	} : void 0
};
//#endregion
//#region src/doors/cli/hooks/agents/windsurf.ts
function happening(event, info) {
	const [prompt, file, reply] = [
		info.user_prompt,
		info.file_path,
		info.response
	].map(textOf$1);
	const command = textOf$1(info.command_line);
	if (event === "pre_user_prompt") return prompt ? {
		kind: "prompt",
		prompt
	} : void 0;
	if (event === "post_run_command") return command ? {
		kind: "command",
		run: {
			command,
			exitCode: null,
			output: ""
		}
	} : void 0;
	if (event === "post_write_code") return file ? {
		kind: "edit",
		files: [file]
	} : void 0;
	return event === "post_cascade_response" ? {
		kind: "stop",
		words: { reply }
	} : void 0;
}
//#endregion
//#region src/doors/cli/hooks/agents/all.ts
var HOOK_AGENTS = [
	claudeCode,
	codex,
	gemini,
	opencode,
	cursor,
	copilot,
	{
		name: "windsurf",
		read: (event, payload) => {
			const info = partOf(payload.tool_info);
			const found = happening(event, info);
			return found && {
				...found,
				sessionId: textOf$1(payload.trajectory_id),
				folder: textOf$1(info.cwd)
			};
		},
		inject: () => void 0
	}
];
var findHookAgent = (name) => HOOK_AGENTS.find((agent) => agent.name === name);
//#endregion
//#region src/doors/cli/hooks/background.ts
var require$3 = createRequire(import.meta.url);
/**
* Starts this program again to send the spool, and does not wait for it: an agent that calls a hook at the end of an exchange
* continues at once, even if the vault is slow or unreachable.
*/
function sendInBackground() {
	const [, program] = process.argv;
	if (!program) return;
	const { spawn } = require$3("node:child_process");
	const child = spawn(process.execPath, [
		program,
		"hook",
		"send"
	], {
		detached: true,
		stdio: "ignore",
		windowsHide: true
	});
	child.once("error", () => {});
	child.unref();
}
//#endregion
//#region src/doors/cli/hooks/occasion.ts
/** An empty answer. Every agent continues after it. */
var SILENCE = {
	output: "",
	exitCode: 0
};
//#endregion
//#region src/text/command-text.ts
/** How a command, its exit code and its output are sent as one text. */
var commandText = ({ command, exitCode, output }) => [
	...command === void 0 ? [] : [`$ ${command.replaceAll("\n", " ")}`],
	...exitCode === void 0 ? [] : [`exit code ${exitCode}`],
	output
].join("\n");
var EXIT_CODE = /^\W{0,3}(?:process )?(?:exited with |exit(?:ed)? )?(?:exit )?(?:code|status)[ :=]{1,3}(-?\d{1,10})\b/i;
/** The same read back; other spellings of the exit code are known too, where they begin the text or end it. */
function readCommandText(text) {
	const lines = text.split("\n");
	const command = lines[0]?.startsWith("$ ") ? lines.shift()?.slice(2).trim() : void 0;
	const first = EXIT_CODE.exec(lines[0] ?? "");
	if (first) lines.shift();
	const last = lines.findLast((line) => line.trim() !== "");
	const code = (first ?? EXIT_CODE.exec(last ?? ""))?.[1];
	return {
		...command === void 0 ? {} : { command },
		...code === void 0 ? {} : { exitCode: Number(code) },
		output: lines.join("\n")
	};
}
//#endregion
//#region src/text/without-end.ts
/** Without such characters at its end. A pattern of them, anchored there, would look at each of a long row in the middle anew. */
function withoutEnd(text, characters) {
	let end = text.length;
	while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
	return text.slice(0, end);
}
//#endregion
//#region src/doors/cli/exit-codes.ts
/** What a script can rely on; documented in docs/guide/cli.md. */
var EXIT = {
	done: 0,
	failed: 1,
	usage: 2,
	/** No credential, or one that the vault does not accept. */
	notSignedIn: 3,
	/** Something is left to do by hand; the output says what. */
	byHand: 4
};
/** An expected end of a command: one line for the person, one code for the script. */
var CommandError = class extends Error {
	exitCode;
	constructor(message, exitCode = EXIT.failed) {
		super(message);
		this.exitCode = exitCode;
	}
};
//#endregion
//#region src/core/user-folders.ts
/**
* The person's own folder. With an empty HOME, Node names an empty path, and settings would be read from the working
* folder, which may be a stranger's repository.
*/
var homeFolder = () => homedir() || userInfo().homedir;
/** A folder that a variable of the XDG rules names. By these rules a relative path is none: it would change with every `cd`. */
var xdgFolder = (named, standard) => named && isAbsolute(named) ? named : standard;
//#endregion
//#region src/doors/cli/folders.ts
/** Where programs of the terminal keep their settings, on every system. */
var dotConfig = (...parts) => join(xdgFolder(process.env.XDG_CONFIG_HOME, join(homeFolder(), ".config")), ...parts);
/** The folder of our settings: the profile, and what was connected. */
var settingsFolder = () => process.env.KVAULT_HOME || dotConfig("kvault");
/**
* Where programs are started from. Windows looks for a program in the folder it is started from before it looks into PATH,
* and a stranger's repository may contain a `git.exe`.
*/
var trustedFolder = () => dirname(process.execPath);
/** Inside its own hooks git names a repository by these, and with them any folder would be that repository. */
var OF_A_GIT_HOOK = [
	"GIT_DIR",
	"GIT_WORK_TREE",
	"GIT_COMMON_DIR",
	"GIT_INDEX_FILE",
	"GIT_OBJECT_DIRECTORY",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES",
	"GIT_PREFIX"
];
/** The variables for a git that is asked about a folder. */
var gitVariables = () => ({
	...process.env,
	...Object.fromEntries(OF_A_GIT_HOOK.map((name) => [name, void 0]))
});
//#endregion
//#region src/doors/cli/replace-file.ts
var isLink = (file) => lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
/** The target of a symbolic link is changed; the link itself stays, also one whose target is not there yet. */
function behindLink(file) {
	if (existsSync(file)) return realpathSync(file);
	return isLink(file) ? resolve(realpathSync(dirname(file)), readlinkSync(file)) : file;
}
/** Where nothing could be written there may be nothing to delete either. */
function dropDraft(file) {
	try {
		rmSync(file, { force: true });
	} catch {}
}
/** A container may have the one file from outside: nothing can take its place, so it is written as it stands. */
function moveOver(fresh, target, text) {
	try {
		renameSync(fresh, target);
	} catch (error) {
		if (error.code !== "EBUSY") throw error;
		writeFileSync(target, text);
		rmSync(fresh);
	}
}
/**
* Replaces a file atomically: who reads it now gets the old text or the new one, and a full disk leaves the old one. Its
* folder must be there.
*/
function replaceFile(target, text, mode) {
	const fresh = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
	try {
		writeFileSync(fresh, text, { mode });
		chmodSync(fresh, mode);
		moveOver(fresh, target, text);
	} catch (error) {
		dropDraft(fresh);
		throw Object.assign(error, {
			path: target,
			dest: void 0
		});
	}
}
//#endregion
//#region src/doors/cli/own-copy.ts
var HERE = fileURLToPath(import.meta.url);
/** The package of the command is bundled; the server and the checkout have this file by its own name. */
var IS_PACKAGE = ["cli.js", "hook.js"].includes(basename(HERE));
/** The vault that handed out this package, if one did. */
function vaultOfPackage() {
	if (!IS_PACKAGE) return void 0;
	try {
		const { vault } = JSON.parse(readFileSync(join(dirname(HERE), "package.json"), "utf8"));
		return typeof vault === "string" ? vault : void 0;
	} catch {
		return;
	}
}
/** What npx keeps for the address of this package, if it has started it. */
function npxFolder() {
	const parts = HERE.split(sep);
	const at = parts.lastIndexOf("_npx");
	return at < 0 ? void 0 : parts.slice(0, at + 2).join(sep);
}
/** How messages name this command: npx leaves no `kvault` behind, so there it is the call that the vault hands out. */
var KVAULT = npxFolder() && vaultOfPackage() ? `npx -y ${vaultOfPackage()}/kvault.tgz` : "kvault";
//#endregion
//#region src/doors/cli/profile.ts
var OWNER_ONLY = 384;
var DEFAULT_URL = "http://127.0.0.1:8080";
var profileFile = () => join(settingsFolder(), "profile.json");
/** A hook may read it at any moment: half of the switches of a person would be none, and half of a profile no sign-in. */
function writePrivate(file, text) {
	mkdirSync(dirname(file), {
		recursive: true,
		mode: 448
	});
	replaceFile(behindLink(file), text, OWNER_ONLY);
}
/** Scheme and host in small letters, so that one vault has one address. What is no address stays as it is. */
var oneSpelling = (url) => URL.canParse(url) ? withoutEnd(new URL(url).href, "/") : url;
function savedProfile() {
	try {
		const saved = JSON.parse(readFileSync(profileFile(), "utf8"));
		return {
			...saved,
			url: oneSpelling(saved.url)
		};
	} catch {
		return;
	}
}
function tidy(url) {
	if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url)) throw new CommandError(`"${url}" is not the address of a vault. Write it as https://vault.example.com or http://127.0.0.1:8080.`, EXIT.usage);
	return oneSpelling(url).replace(/\/mcp$/, "");
}
/**
* A key from a file or a clipboard often ends with a line end, which no header can carry. An empty one, as of a variable of
* the shell that is not set, must not become the key that is saved here, or a sign-in by the browser.
*/
function tidyKey(key) {
	const tidied = key.trim();
	if (tidied === "") throw new CommandError("The given API key is empty.", EXIT.notSignedIn);
	if (/[^!-~]/.test(tidied)) throw new CommandError("The given API key has characters that no key has. Copy the whole key again.", EXIT.notSignedIn);
	return tidied;
}
var namedUrl = (options) => options.url ?? (process.env.KVAULT_URL || void 0);
/** Options first, then KVAULT_URL and KVAULT_API_KEY, then what `kvault login` or `connect` saved. */
function findProfile(options = {}) {
	const saved = savedProfile();
	const url = tidy(namedUrl(options) ?? saved?.url ?? vaultOfPackage() ?? DEFAULT_URL);
	const given = givenKey(options);
	if (given) return {
		url,
		apiKey: given
	};
	if (saved?.url !== url || !saved.apiKey) return { url };
	return {
		url,
		apiKey: saved.apiKey,
		...saved.userId ? { userId: saved.userId } : {}
	};
}
/** A key that was given for this call, as opposed to the saved one. */
function givenKey(options) {
	const key = options.key ?? (process.env.KVAULT_API_KEY || void 0);
	return key === void 0 ? void 0 : tidyKey(key);
}
//#endregion
//#region src/doors/cli/jsonc.ts
/** People write comments and trailing commas into settings, and editors save an empty file. */
var LENIENT = {
	allowTrailingComma: true,
	allowEmptyContent: true
};
/** The byte order mark of Windows editors. Our parsers need the text without it; a file that is written keeps it. */
var MARK = "﻿";
var withoutMark = (text) => text.startsWith(MARK) ? text.slice(1) : text;
/** What a file of settings says: an object, which is empty for an empty file; otherwise what is wrong with it. */
function readObject(text) {
	const errors = [];
	const value = parse(withoutMark(text), errors, LENIENT);
	if (errors.length > 0) return "not JSON";
	if (value === void 0) return {};
	return typeof value === "object" && value !== null && !Array.isArray(value) ? value : "no object";
}
//#endregion
//#region src/doors/cli/settings-file.ts
var LARGEST_FILE = 65536;
/** What a small file that people edit says; undefined where there is none, null where it cannot be read. */
function settingsIn(file) {
	try {
		const found = statSync(file, { throwIfNoEntry: false });
		if (!found?.isFile()) return void 0;
		if (found.size > LARGEST_FILE) return null;
		const settings = readObject(readFileSync(file, "utf8"));
		return typeof settings === "object" ? settings : null;
	} catch {
		return null;
	}
}
//#endregion
//#region src/doors/cli/project-file.ts
var PROJECT_FILE = ".kvault.json";
var MOST_FOLDERS = 64;
var LONGEST_NAME$1 = 1e3;
var MOST_SWITCHES = 100;
/** The key of a person's own preferences belongs to no repository. */
var RESERVED = /^\s{0,10}__user__/i;
var nameIn = (value) => typeof value === "string" && value.trim() !== "" && value.length <= LONGEST_NAME$1 && !RESERVED.test(value) ? value : void 0;
var switchesIn = (hooks) => {
	if (hooks === false || hooks === "off") return ["all"];
	const off = typeof hooks === "object" && hooks !== null && "off" in hooks ? hooks.off : void 0;
	if (off === true) return ["all"];
	return Array.isArray(off) ? off.slice(0, MOST_SWITCHES).filter((item) => typeof item === "string") : [];
};
function readOne(folder) {
	const file = join(folder, PROJECT_FILE);
	const settings = settingsIn(file);
	if (settings === null) return {
		off: ["all"],
		unreadable: [file]
	};
	const { project_key, workspace_id, hooks } = settings ?? {};
	const [projectKey, workspaceId] = [nameIn(project_key), nameIn(workspace_id)];
	return {
		off: switchesIn(hooks),
		unreadable: [],
		...projectKey ? {
			projectKey,
			keyFile: file
		} : {},
		...workspaceId ? {
			workspaceId,
			workspaceFile: file
		} : {}
	};
}
/** The files of the folder and those above it. The nearest one names the project; each may switch off more. */
function readProjectFiles(folder) {
	const merged = {
		off: [],
		unreadable: []
	};
	let [at, left] = [folder, MOST_FOLDERS];
	for (; left > 0; left--) {
		const { off, unreadable, ...names } = readOne(at);
		Object.assign(merged, {
			...names,
			...merged,
			off: [...merged.off, ...off],
			unreadable: [...merged.unreadable, ...unreadable]
		});
		const above = dirname(at);
		if (above === at) break;
		at = above;
	}
	return merged;
}
//#endregion
//#region src/doors/cli/project-name.ts
var require$2 = createRequire(import.meta.url);
var processes = () => require$2("node:child_process");
var crypto = () => require$2("node:crypto");
function git(folder, ...args) {
	try {
		return processes().execFileSync("git", [
			"-C",
			resolve(folder),
			...args
		], {
			cwd: trustedFolder(),
			env: gitVariables(),
			stdio: [
				"ignore",
				"pipe",
				"ignore"
			]
		}).toString().trim() || void 0;
	} catch {
		return;
	}
}
/** For a folder that has no name, and whose name cannot be kept either. */
var passingName = () => `folder-${crypto().randomUUID()}`;
var namesFolder = () => join(settingsFolder(), "folders");
/** The name of the file in which something about a folder is kept. */
var folderHash = (folder) => crypto().createHash("sha256").update(folder).digest("hex").slice(0, 32);
var nameFile = (folder) => join(namesFolder(), folderHash(folder));
var nameKeptIn = (file) => {
	try {
		return readFileSync(file, "utf8");
	} catch {
		return;
	}
};
/** The random names of all folders here. */
function keptNames() {
	try {
		return readdirSync(namesFolder()).flatMap((name) => nameKeptIn(join(namesFolder(), name)) ?? []);
	} catch {
		return [];
	}
}
/** The random name of a folder, made on first use. Two programs that ask at once get the same. */
function keptName(folder) {
	const [names, file] = [namesFolder(), nameFile(folder)];
	const draft = `${file}.${process.pid}`;
	const kept = nameKeptIn(file);
	if (kept !== void 0) return kept;
	try {
		mkdirSync(names, {
			recursive: true,
			mode: 448
		});
		writeFileSync(draft, passingName(), { mode: 384 });
		try {
			linkSync(draft, file);
		} catch (error) {
			if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
		} finally {
			rmSync(draft, { force: true });
		}
		return readFileSync(file, "utf8");
	} catch (error) {
		throw new CommandError(`${folder} has no remote, and a name for it cannot be kept in ${names} (${error instanceof Error ? error.message : error}). Name it: write {"project_key": "…"} into ${PROJECT_FILE}.`);
	}
}
/** User and password in the address of a remote; a password may contain `@`. */
var CREDENTIALS = /^([a-z][a-z0-9+.-]*:\/\/)[^/\s]*@/i;
/** They may carry a token. In a path, `#` is a letter as any other. */
var QUERY_AND_FRAGMENT = /^([a-z][a-z0-9+.-]*:\/\/[^?#]*)[?#].*$/is;
/** The vault reads both spellings as one project. The user of `git@host:path` stays: that form has no password. */
var withoutSecrets = (remote) => remote.replace(CREDENTIALS, "$1").replace(QUERY_AND_FRAGMENT, "$1");
/** `../repo.git` says where it is only together with the folder: the same words elsewhere are another repository. */
var RELATIVE = /^\.{1,2}(?:[/\\]|$)/;
/** `origin`, or the only remote if it is called otherwise (`git clone -o`, `clone.defaultRemoteName`). */
function remoteOf(folder) {
	const origin = git(folder, "remote", "get-url", "origin");
	if (origin) return origin;
	const [only, ...others] = git(folder, "remote")?.split(/\r?\n/) ?? [];
	return only && others.length === 0 ? git(folder, "remote", "get-url", "--", only) : void 0;
}
/** The remote of a checkout, which is the project's name everywhere. */
function remoteKey(folder) {
	const remote = remoteOf(folder);
	return remote && withoutSecrets(RELATIVE.test(remote) ? resolve(rootOf(folder), remote) : remote);
}
/**
* The random name of a folder without a remote: two folders that happen to be called alike must not share their memory.
* Which name in a `.kvault.json` comes before it: `findProject`.
*/
var ownKey = (folder) => keptName(rootOf(folder));
/** That name, where the folder has one already. */
var keptNameOf = (folder) => nameKeptIn(nameFile(rootOf(folder)));
/** The folder that has a name: all of a checkout without a remote is one project, with the worktrees that belong to it. */
function rootOf(folder) {
	const [top, shared] = git(folder, "rev-parse", "--show-toplevel", "--git-common-dir")?.split(/\r?\n/) ?? [];
	const store = shared && resolve(folder, shared);
	return realpathSync(store && basename(store) === ".git" ? dirname(store) : top ?? folder);
}
//#endregion
//#region src/doors/cli/hooks/file-names.ts
var require$1 = createRequire(import.meta.url);
var LONGEST_NAME = 150;
var LONGEST_ID$1 = 200;
function hashOf(text) {
	const { createHash } = require$1("node:crypto");
	return `h${createHash("sha256").update(text).digest("hex")}`;
}
/**
* A file name for a text that others chose, such as a session id or a folder. The text itself is never part of a path. A hash
* is made for long texts only, because loading node:crypto takes a tenth of a hook's time.
*/
function fileNameFor(text) {
	const name = Buffer.from(text).toString("base64url");
	return name.length <= LONGEST_NAME ? `t${name}` : hashOf(text);
}
/** The id of a session as the vault takes it: it refuses a longer one, and one with control characters. */
var storableId = (id) => id.length <= LONGEST_ID$1 && !/\p{Cc}/u.test(id) && id.isWellFormed() ? id : hashOf(id);
//#endregion
//#region src/doors/cli/hooks/environment-cache.ts
var fileOf$1 = (folder) => join(settingsFolder(), "environments", `${fileNameFor(folder)}.json`);
/** Reading lock files takes longer than the rest of a hook, so the other moments use what the last capture found. */
function knownEnvironment(folder) {
	try {
		return JSON.parse(readFileSync(fileOf$1(folder), "utf8"));
	} catch {
		return;
	}
}
function keepEnvironment(folder, environment) {
	try {
		writePrivate(fileOf$1(folder), JSON.stringify(environment));
	} catch {}
}
//#endregion
//#region src/features/mining/rules/command-line.ts
/** The command that a line runs, without its surroundings: two spellings of the same command have the same key. */
var LONGEST_COMMAND$2 = 2e3;
/** Only the first commands of a line are read. */
var MOST_PARTS = 30;
/** Commands that show a part of the output and hide the exit code of the command before them. */
var VIEWER = /^(?:tail|head|cat|tee|less|more|sort|uniq|wc|cut|sed|awk|grep|egrep|rg|jq|column)(?:\s|$)/;
/** Nobody looks for the outcome of these: where they come first, the exit code is still that of the command behind them. */
var ASIDE = /^(?:echo|printf|ls|pwd|sleep|mkdir|rm|test|\[)(?:\s|$)/;
var STOPS_AT_ERRORS = /(?:^|[\n;&]) *set -\w{0,10}e/;
/** A shell that reads its commands from a pipe ends with the exit code of the last. */
var PIPED_SHELL = /^(?:ba|da|fi|k|z)?sh(?:\s|$)/;
/** `bash -lc "npm test | tail"`: here the quotes hold commands. */
var NESTED_SHELL = /\b(?:ba|da|fi|k|z)?sh(?:\s+-\S+){0,5}\s+-\w{0,5}c\s+(["'])([\s\S]*)\1/;
var COMMENT_LINE = /^[ \t]*#.*$/gm;
var ASKS_EXIT_CODE = /^echo\b.{0,200}\$\{?(?:\?|PIPESTATUS)/;
var isQuote = (sign) => sign === "\"" || sign === "'" || sign === "`";
/** `&` alone starts the next command at once; `2>&1` and `&>log` do not, nor does the `&` before a name in PowerShell. */
var isBackground = (command, at, text) => command[at] === "&" && command[at + 1] !== ">" && text !== "" && !/[<>]$/.test(text);
/** Cuts where one command ends and the next begins, outside of quotes. */
function partsOf(line) {
	const parts = [];
	let [text, quote, before] = [
		"",
		"",
		""
	];
	const close = (next) => {
		if (text.trim() !== "") parts.push({
			text: text.trim(),
			before,
			after: next
		});
		text = "";
		before = next;
	};
	const command = line.slice(0, LONGEST_COMMAND$2).replace(COMMENT_LINE, "").replaceAll(/\\\r?\n/g, " ");
	for (let i = 0; i < command.length && parts.length < MOST_PARTS; i++) {
		const sign = command[i];
		const two = command.slice(i, i + 2);
		if (quote !== "") {
			if (sign === quote) quote = "";
			text += sign;
		} else if (isQuote(sign)) {
			quote = sign;
			text += sign;
		} else if (two === "&&" || two === "||") {
			close(two);
			i++;
		} else if (sign === ";" || sign === "\n" && text !== "") close(";");
		else if (sign === "|") close("|");
		else if (isBackground(command, i, text)) close("&");
		else if (text !== "" || sign.trim() !== "") text += sign;
	}
	if (parts.length < MOST_PARTS) close("");
	return parts;
}
var isSetting = (part) => /^#|^(?:cd|pushd|popd|set|export|source|\.)(?:\s|$)/.test(part);
/** Whether a part may fail in a line that ends with exit code 0. `a && b` succeeds only if both do. */
function hidesFailure({ text, before, after }, next, line) {
	const nested = NESTED_SHELL.exec(text)?.[2];
	if (text.startsWith("! ") || nested !== void 0 && hidesExitCode(nested)) return true;
	const isAside = before !== "|" && (isSetting(text) || [ASIDE, VIEWER].some((harmless) => harmless.test(text)));
	if (after === "&") return !isAside;
	if (next?.before === "|") return !line.includes("pipefail") && !(isAside && ![VIEWER, PIPED_SHELL].some((end) => end.test(next.text)));
	if (isAside || next === void 0) return false;
	return next.before === "||" || next.before === ";" && !STOPS_AT_ERRORS.test(line);
}
/** Of a line that is not read to its end, nobody knows. */
function isHidden(line, all) {
	if (line.length > LONGEST_COMMAND$2 || all.length >= MOST_PARTS) return true;
	return all.some((part, at) => ASKS_EXIT_CODE.test(part.text) || hidesFailure(part, all[at + 1], line));
}
var hidesExitCode = (line) => isHidden(line, partsOf(line));
//#endregion
//#region src/text/terminal-codes.ts
var TERMINAL_CODES = new RegExp([
	"\\x1b\\[[0-9;:?<=>]*[ -/]*[@-~]",
	"\\x1b\\][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)?",
	"\\x1b[(-/][0-~]",
	"\\x1b[@-_]"
].join("|"), "g");
/** A text without the colours, titles and cursor moves that a program writes for a terminal. */
var withoutTerminalCodes = (text) => text.replace(TERMINAL_CODES, "");
//#endregion
//#region src/text/noise.ts
/**
* What a terminal, a clock and a linker write into an error, and what differs each time a program executes. Search
* and recall read a pasted log without it, so that the log finds what its two telling lines find.
*
* Every pattern is linear: none repeats a group that can match in two ways.
*/
var UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
/** Not the eight digits of a status code, which begin with 8 or C, or with zeroes: these name an error. */
var ADDRESS = /\b0x(?!(?:[8c][0-9a-f]{7}|0{4}[0-9a-f]{4})\b)[0-9a-f]{4,}\b/gi;
/** A digest or an id: long, and digits and letters mixed, so that no word is one. */
var DIGEST = /\b(?=[0-9a-f]{0,63}\d)(?=[0-9a-f]{0,63}[a-f])[0-9a-f]{12,64}\b/gi;
var DATE_AND_TIME = /\b\d{4}[-/]\d{2}[-/]\d{2}(?:[T ]\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?(?![\w-])/g;
var CLOCK = /(?<![\w:.])\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?![\w:])/g;
var SYSLOG_DATE = /\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\d{1,2}(?:,? \d{4})?(?= \d|,|\s|$)/g;
var NOISE = [
	UUID,
	ADDRESS,
	DATE_AND_TIME,
	SYSLOG_DATE,
	CLOCK,
	DIGEST,
	/(?:\/private)?\/(?:tmp|var\/tmp|var\/folders\/[\w+-]{1,8}\/[\w+-]{1,64}\/T)\/(?:[\w.+-]{1,80}\/)*|[A-Z]:\\(?:[^\\\s]{1,80}\\){1,6}Temp\\(?:[^\\\s]{1,80}\\)*/g,
	/(?:\/home|\/Users)\/[\w.-]{1,64}\/|[A-Z]:\\Users\\[^\\\s]{1,64}\\/g,
	/(?<=\.\w{1,8}):\d{1,6}(?::\d{1,5})?(?!\w)|(?<=\.\w{1,8})\(\d{1,6}(?:,\d{1,5})?\)/g,
	/\b(?:line|column|col|ln) \d{1,6}\b/gi,
	/\b(?:pid|PID|process)[ =:]{0,2}\d{2,7}\b|\[\d{3,7}\](?=[:\s]|$)/g,
	/\b\d+(?:\.\d+)?(?:ns|µs|us|ms|s|sec|secs|seconds|min|mins|minutes)\b/g,
	/(?<![\w.])\d{1,3}(?:\.\d+)?%/g,
	/(?<![\w.])\d+(?:\.\d+)? ?(?:[kKMGT]i?B(?:\/s)?|bytes|B\/s)(?!\w)/g,
	/[─-╿▀-▟■-◿⠀-⣿]+|[=#*~_.-]{6,}>?|\[[=#> .-]{6,}\]/g
];
/** Patterns look at a line; a longer one is data, not a message. */
var LONGEST_LINE = 2e3;
var FRAME = /^\s*(?:at .{1,500}[):\d]$|at [\w$.<>[\] ]{1,200}$|File ".{1,300}", line|from .{1,300}:\d+:in |#\d{1,3} |\d{1,4}: 0x|goroutine \d|\.\.\. \d{1,4} more)/;
var isStackFrame = (line) => FRAME.test(line);
/** The time stands within this many characters of the beginning of a log line. */
var STAMP_WITHIN = 60;
/** Whether the line comes from a log: it begins with a time. */
function isStamped(line) {
	const beginning = line.slice(0, STAMP_WITHIN);
	return [
		DATE_AND_TIME,
		CLOCK,
		SYSLOG_DATE
	].some((pattern) => beginning.search(pattern) >= 0);
}
/** What a terminal shows of a line: text after a carriage return replaces the text before it. */
function shownOf(line) {
	const end = line.endsWith("\r") ? line.length - 1 : line.length;
	const from = line.lastIndexOf("\r", end - 1);
	return line.slice(from + 1, end);
}
/** `docker build` writes the step and the seconds before each line of a program: as if it were a frame of a stack. */
var STEP_OF_A_BUILD = /^#\d{1,4} (?:\d{1,6}\.\d{1,3} |(?=ERROR: ))/;
/** The lines of a text as a terminal shows them, without colours, what was written over, and the steps of a build. */
var terminalLines = (text) => withoutTerminalCodes(text).split("\n").map((line) => shownOf(line).replace(STEP_OF_A_BUILD, ""));
/** A text as a terminal shows it. */
var terminalText = (text) => terminalLines(text).join("\n");
/** A line without what changes each time. */
function cleanLine(line) {
	let clean = line.length > LONGEST_LINE ? line.slice(0, LONGEST_LINE) : line;
	for (const pattern of NOISE) clean = clean.replace(pattern, " ");
	return clean.replace(/[ \t]+/g, " ").trim();
}
//#endregion
//#region src/text/reading-command.ts
/**
* Commands that only print texts. The hooks ask the vault by these rules, and recall answers by them. Nothing here knows
* the server: it runs on the person's machine too.
*/
/** Programs that print a text which is already there: an error in it is not theirs. */
var READERS = new Set(["awk bat batcat cat column cut diff echo egrep fgrep find fold gawk grep head jq less ls more nl", "printf rg sed sort strings tac tail tree uniq wc yq zcat"].flatMap((names) => names.split(" ")));
/** They print nothing. */
var SILENT = /* @__PURE__ */ new Set([
	"",
	"cd",
	"export",
	"pwd",
	"set",
	"sleep",
	"true"
]);
var READING_GIT = /^(?:-C \S+ |--no-pager )*(?:blame|diff|grep|log|ls-files|show|status)\b/;
/** Up to the quote that closes it, if there is one: a search for what is closed would begin anew at each escaped quote. */
var QUOTED = /"(?:[^"\\$`]|\\.)*("?)/g;
/** Signs in quotes join no commands. Between double quotes a command may stand, so these stay. */
var withoutQuoted = (command) => command.replace(/'[^']*'/g, "_").replace(QUOTED, (whole, closing) => closing === "" ? whole : "_");
function onlyReads(part) {
	const [program = "", ...rest] = part.trim().replace(/^(?:\w+=\S* +)*(?:xargs(?: +-\S+)* +)?/, "").split(/\s+/);
	if (program === "git") return READING_GIT.test(rest.join(" "));
	if (rest.some((word) => /^-(?:exec|ok)/.test(word))) return false;
	return READERS.has(program) || SILENT.has(program);
}
/** Whether a command does nothing but print texts, as `cat CHANGELOG.md | head` does. In doubt it does more. */
function isReading(command) {
	const plain = withoutQuoted(command).replace(/\d?>&\d/g, "");
	return !/[`"']|\$\(|<\(/.test(plain) && plain.split(/\|\|?|&&?|;|\n/).every(onlyReads);
}
/** `cat: notes.md: No such file or directory`, also with the name of a shell before it. */
var OWN_ERROR = /^(?:\S+: (?:line )?\d{1,5}: )?(\w{1,20}): /;
/** A reading command fails with its own words, and then there is seldom anything before them. */
function failsToRead(command, shown) {
	if (/^fatal: /.test(shown)) return /\bgit\b/.test(command);
	return READERS.has(OWN_ERROR.exec(shown)?.[1] ?? "");
}
//#endregion
//#region src/doors/cli/hooks/failures.ts
/** How much of an output is looked at: the two ends, where tools say what went wrong. */
var LOOKED_AT = 16e3;
/**
* How lines of failing tools begin. A pipe hides the exit code (`npm test | tail`), and some agents
* do not pass it; then these patterns decide whether the vault is asked. The vault decides whether it delivers something.
* They say nothing about a command that only prints a text, such as a log.
*/
var SIGNS = [
	/^[ \t]{0,8}(?:npm ERR!|npm error|ERR_PNPM_|fatal:|panic:|Traceback \(most recent call last\)|BUILD FAILED|Segmentation fault)/m,
	/^[ \t]{0,8}(?:error(?:\[[A-Z]\d{1,5}\])?:|ERROR[: ]|FAIL(?:ED|URE)?[ :])/m,
	/^[ \t]{0,8}(?:(?:E {2}|│) {0,6})?[A-Za-z_.]{0,80}(?:Error|Exception):/m,
	/\berror TS\d{4,5}:|: \*\*\* .{1,300} Stop\.$/m,
	/: (?:command not found|No such file or directory|Permission denied)$/m,
	/\b[1-9]\d{0,5} (?:failed|failing)\b/
];
/** The two ends of a long text. */
function bothEnds(text, most) {
	if (text.length <= most) return text;
	const head = Math.floor(most / 4);
	return `${text.slice(0, head).toWellFormed()}\n…\n${text.slice(-(most - head - 3)).toWellFormed()}`;
}
/** By the exit code; if it is hidden or unknown, by the output. */
function hasFailed({ command, exitCode, output }) {
	if (exitCode !== null && exitCode !== 0) return true;
	if (exitCode === 0 && !hidesExitCode(command)) return false;
	const shown = terminalText(bothEnds(output, LOOKED_AT));
	if (isReading(command)) return failsToRead(command, shown);
	return SIGNS.some((sign) => sign.test(shown));
}
//#endregion
//#region src/doors/cli/hooks/safe-cuts.ts
/**
* Cuts for text that is redacted later. Redaction recognises a secret by its beginning, its length or the name before
* it, so half a secret would pass. These cuts drop everything that may belong to a secret at the cut.
*/
/** A secret with spaces, such as a phrase, is shorter than this. */
var LONGEST_PHRASE = 200;
var ELLIPSIS = "…";
/** The beginning up to a line end. A line that fills more than half of it ends at a space or a quote instead. */
function upToABreak(text, most) {
	const start = text.slice(0, most);
	const lineEnd = start.lastIndexOf("\n");
	if (lineEnd >= most / 2) return start.slice(0, lineEnd);
	return start.slice(0, Math.max(0, most - LONGEST_PHRASE)).replace(/[^\s"'`]+$/, "").toWellFormed();
}
/** Kubernetes writes the kind of an object behind its data, and tools that sort names the type of a web key behind `d`. */
var SECRET_BEFORE = /\bkind\\?["']?: {0,4}\\?["']?secret\b/i;
var KEY_BEFORE = /["']kty\\?["']/;
/** Redaction reads as far from such a word. */
var READ_AHEAD = 2e4;
var KIND = /\bkind\\?["']?:/g;
var DATA = /(?<![\w.-])(?:stringData|data)\\?["']?:/;
/** Without the values that are secret because of a word behind the cut. */
function wholeStart(text, most) {
	const start = upToABreak(text, most);
	const ahead = text.slice(start.length, start.length + READ_AHEAD);
	const object = SECRET_BEFORE.test(ahead) ? [...start.matchAll(KIND)].at(-1)?.index ?? 0 : start.length;
	const data = start.slice(object).search(DATA);
	const key = KEY_BEFORE.test(ahead) ? start.lastIndexOf("{") : -1;
	return start.slice(0, Math.min(data < 0 ? start.length : object + data, key < 0 ? start.length : key));
}
/** A value whose name is in the line before, one of many values below a name, a row of a table, a line of a private key. */
var MAY_CONTINUE = /^[\s>*"'`-]*(?:[\w./-]+["']?: )?\S*\s*$|\|/;
/**
* The end from a line on. The line that was cut may hold the name of a secret, so the lines that can hold its value go
* too. Within one line nothing says where a name begins: then nothing is left.
*/
function wholeEnd(text, most) {
	const lines = text.slice(-most).split("\n").slice(1);
	const value = lines.findIndex((line) => line.trim() !== "");
	const next = lines.findIndex((line, at) => at > value && !MAY_CONTINUE.test(line));
	return value < 0 || next < 0 ? "" : lines.slice(next).join("\n");
}
var startToRedact = (text, most) => text.length <= most ? text : `${wholeStart(text, most)}\n${ELLIPSIS}`.trimStart();
/** The two ends of a long text. */
function endsToRedact(text, most) {
	if (text.length <= most) return text;
	const head = Math.floor(most / 4);
	return `${wholeStart(text, head)}\n${ELLIPSIS}\n${wholeEnd(text, most - head - 3)}`;
}
/** Codes of colours take more room than the text, but not this much. */
var CODES_TO_TEXT = 20;
/**
* The two ends of an output as a terminal shows it. Colours hide where a value ends, so they go before the cut; the first
* one is only there because to read all of a huge output takes too long.
*/
var outputToRedact = (output, most) => endsToRedact(terminalText(endsToRedact(output, most * CODES_TO_TEXT)), most);
//#endregion
//#region src/core/day.ts
var DAY_MS = 864e5;
//#endregion
//#region src/doors/cli/hooks/lock.ts
/** Not by node:crypto: loading it takes a tenth of a hook's time. */
var newToken = () => `${process.pid}-${process.hrtime.bigint()}-${Math.random()}`;
var holder = (file) => {
	try {
		return readFileSync(file, "utf8");
	} catch {
		return;
	}
};
/** A time in the future is of a clock that was put right since: nobody renews that lock either. */
var isStale = (file, staleMs) => {
	const found = statSync(file, { throwIfNoEntry: false });
	return found !== void 0 && Math.abs(Date.now() - found.mtimeMs) > staleMs;
};
/** Creating a file fails if the name exists, so only one of two programs gets the lock. */
function create(file) {
	try {
		return openSync(file, "wx", 384);
	} catch (error) {
		if (error.code === "EEXIST") return void 0;
		throw error;
	}
}
/** A full disk has room for the name, but not for the token: a lock of nobody would keep others waiting. */
function take(file, token) {
	const descriptor = create(file);
	if (descriptor === void 0) return false;
	try {
		writeFileSync(descriptor, token);
		return true;
	} catch (error) {
		rmSync(file, { force: true });
		throw error;
	} finally {
		closeSync(descriptor);
	}
}
/** Moves a stale lock away. If another program has just replaced it, its fresh lock is put back. */
function removeStale(file, seen) {
	const away = `${file}.${newToken()}.stale`;
	try {
		renameSync(file, away);
		if (readFileSync(away, "utf8") !== seen) linkSync(away, file);
	} catch {} finally {
		rmSync(away, { force: true });
	}
}
function lockOf(file, token) {
	return {
		renew: () => {
			if (holder(file) !== token) return false;
			const now = /* @__PURE__ */ new Date();
			utimesSync(file, now, now);
			return true;
		},
		release: () => {
			if (holder(file) === token) rmSync(file, { force: true });
		}
	};
}
/**
* The right to change something, for one program at a time; undefined while another one has it. A holder that has not
* renewed its lock for `staleMs` has died. The folder must be there.
*/
function takeLock(file, staleMs) {
	const token = newToken();
	if (take(file, token)) return lockOf(file, token);
	const seen = holder(file);
	if (seen === void 0 || !isStale(file, staleMs)) return void 0;
	removeStale(file, seen);
	return take(file, token) ? lockOf(file, token) : void 0;
}
var PAUSE_MS = 3;
var pause = new Int32Array(new SharedArrayBuffer(4));
function awaitLock(file, { patienceMs, staleMs }) {
	const end = performance.now() + patienceMs;
	try {
		let lock = takeLock(file, staleMs);
		while (!lock && performance.now() < end) {
			Atomics.wait(pause, 0, 0, PAUSE_MS);
			lock = takeLock(file, staleMs);
		}
		return lock;
	} catch {
		return;
	}
}
/**
* Does something short while no other program does the same. After `patienceMs` it is done all the same: a person waits
* for the hook, and the worst that can happen is that one of two notes is lost.
*/
function withLock(file, patience, work) {
	const lock = awaitLock(file, patience);
	try {
		return work();
	} finally {
		lock?.release();
	}
}
//#endregion
//#region src/doors/cli/hooks/sessions.ts
var KEPT_MS = 30 * DAY_MS;
var sessionsFolder = () => join(settingsFolder(), "sessions");
var sessionFile = (sessionId, ending) => join(sessionsFolder(), fileNameFor(sessionId) + ending);
function readSession(sessionId) {
	if (!sessionId) return {};
	try {
		return JSON.parse(readFileSync(sessionFile(sessionId, ".json"), "utf8")) ?? {};
	} catch {
		return {};
	}
}
/** Both are far more than a note takes. The lock of a hook that was killed keeps others waiting no longer. */
var WAIT = {
	patienceMs: 400,
	staleMs: 2e3
};
/** Does something short to the files of a session while no other hook of it does. */
function withSessionLock(sessionId, work) {
	mkdirSync(sessionsFolder(), {
		recursive: true,
		mode: 448
	});
	return withLock(sessionFile(sessionId, ".lock"), WAIT, work);
}
/**
* Notes a change; one that adds to what is there is a function of it. Two hooks of a session may do so at once, and both
* notes stay. A hook still works if this fails.
*/
function rememberSession(sessionId, change) {
	if (!sessionId) return;
	try {
		withSessionLock(sessionId, () => {
			const former = readSession(sessionId);
			const added = typeof change === "function" ? change(former) : change;
			const { shown = [], ...rest } = {
				...former,
				...added
			};
			const text = JSON.stringify({
				...rest,
				shown: shown.slice(-200)
			});
			writePrivate(sessionFile(sessionId, ".json"), text);
		});
	} catch {}
}
/** Drops sessions that are too old to be resumed. */
function forgetOldSessions() {
	try {
		for (const name of readdirSync(sessionsFolder())) {
			const file = join(sessionsFolder(), name);
			if (Date.now() - statSync(file).mtimeMs > KEPT_MS) rmSync(file, { force: true });
		}
	} catch {}
}
//#endregion
//#region src/doors/cli/hooks/journal.ts
/** What was done is noted up to here. What was said is noted beyond, since nothing is captured without it. */
var MOST_BYTES$2 = 2097152;
/** So much is left only by words to which no answer came for long: the journal begins again with the next. */
var MOST_BYTES_WITH_WORDS = 2 * MOST_BYTES$2;
var LONGEST_OUTPUT = 8e3;
var LONGEST_COMMAND$1 = 2e3;
var LONGEST_ID = 200;
var LONGEST_WORDS = 2e4;
var MOST_FILES = 100;
var LONGEST_FILE_NAME = 1e3;
/** Redaction takes too long to load here; it comes with the capture. */
function shortened(entry) {
	if ("prompt" in entry) return { prompt: startToRedact(entry.prompt, LONGEST_WORDS) };
	if ("reply" in entry) return { reply: startToRedact(entry.reply, LONGEST_WORDS) };
	if ("files" in entry) return { files: entry.files.filter((name) => name.length <= LONGEST_FILE_NAME).slice(0, MOST_FILES) };
	const { command, exitCode, output, id } = entry.run;
	return { run: {
		command: startToRedact(command, LONGEST_COMMAND$1),
		exitCode,
		output: outputToRedact(output, LONGEST_OUTPUT),
		...id === void 0 ? {} : { id: id.slice(0, LONGEST_ID) }
	} };
}
/**
* A line is appended in one write, so that the lines of concurrent hooks do not mix. It begins with a line end: of one
* that a full disk has cut, nothing else is lost. Under the lock, because a file that is taken while it is open for the
* line takes the line with it, unread.
*/
function append(file, entry) {
	const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
	const isWords = "prompt" in entry || "reply" in entry;
	if (size > MOST_BYTES$2 && !isWords) return;
	const line = `\n${JSON.stringify(shortened(entry))}\n`;
	writeFileSync(file, line, {
		mode: 384,
		flag: size > MOST_BYTES_WITH_WORDS ? "w" : "a"
	});
}
function note(sessionId, entry) {
	if (!sessionId) return;
	try {
		withSessionLock(sessionId, () => append(sessionFile(sessionId, ".jsonl"), entry));
	} catch {}
}
var parsed = (line) => {
	try {
		return line ? [JSON.parse(line)] : [];
	} catch {
		return [];
	}
};
var entriesIn = (file) => readFileSync(file, "utf8").split("\n").flatMap(parsed);
function readJournal(sessionId) {
	if (!sessionId) return [];
	try {
		return entriesIn(sessionFile(sessionId, ".jsonl"));
	} catch {
		return [];
	}
}
function move(sessionId, taken) {
	try {
		withSessionLock(sessionId, () => renameSync(sessionFile(sessionId, ".jsonl"), taken));
		return entriesIn(taken);
	} catch {
		return [];
	}
}
/** Lines that came in meanwhile are the later ones. Where there is no room to join both, those stay. */
function giveBack(sessionId, taken) {
	const journal = sessionFile(sessionId, ".jsonl");
	try {
		withSessionLock(sessionId, () => {
			if (existsSync(journal)) appendFileSync(taken, readFileSync(journal));
			renameSync(taken, journal);
		});
	} catch {}
}
/**
* Takes all entries for one use. Of two programs at once, only one gets them. If the use fails, as on a full disk, they
* are in the journal again, for the next exchange.
*/
function takeJournal(sessionId, use) {
	if (!sessionId) return use([]);
	const taken = sessionFile(sessionId, `.${process.pid}.taken`);
	const entries = move(sessionId, taken);
	try {
		return use(entries);
	} catch (error) {
		giveBack(sessionId, taken);
		throw error;
	} finally {
		rmSync(taken, { force: true });
	}
}
//#endregion
//#region src/text/control-characters.ts
/**
* What a terminal obeys and does not show, and signs that turn the direction of writing: with them a line looks like
* another one. Tabs and line ends stay.
*/
var CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
var withoutControls = (text) => text.replaceAll(CONTROLS, "");
//#endregion
//#region src/doors/cli/http-request.ts
/**
* Requests by node:http, because loading `fetch` takes 150 ms of processor time, which is more than all the rest of a
* short command. An `import` of node:http loads the same: it reads every export, and one of them is the client behind
* `fetch`. `require` does not.
*/
var require = createRequire(import.meta.url);
var nodeHttp = () => require("node:http");
var nodeHttps = () => require("node:https");
/**
* Sends a request and returns its answer as soon as it begins. No redirect is followed, because a key belongs to the
* address that was named. The time limit includes reading the answer: an agent waits for a hook no longer than it may take.
*/
async function request(url, { method = "GET", headers = {}, json, body, timeoutMs, signal, onRedacted }) {
	const began = performance.now();
	const text = json === void 0 ? body : await redactedJson(json, onRedacted);
	const leftMs = timeoutMs - (performance.now() - began);
	const sent = text === void 0 ? void 0 : Buffer.from(text);
	const length = sent ? { "content-length": sent.length } : {};
	return new Promise((resolve, reject) => {
		const { request: open } = /^https:/i.test(url) ? nodeHttps() : nodeHttp();
		const asked = open(url, {
			method,
			headers: {
				...headers,
				...length
			},
			...signal ? { signal } : {}
		}, (answer) => {
			pending = answer;
			if (!isRedirect(answer)) return resolve(answer);
			reject(new Error(elsewhere(answer)));
			answer.destroy();
		});
		let pending = asked;
		const limit = setTimeout(() => pending.destroy(/* @__PURE__ */ new Error("no answer in time")), Math.max(1, leftMs));
		asked.on("error", reject);
		asked.once("close", () => clearTimeout(limit));
		asked.end(sent);
	});
}
async function redactedJson(json, onRedacted) {
	const { withoutSecrets } = await import("./hook-outgoing.mjs").then((n) => n.t);
	const { value, found } = withoutSecrets(json);
	if (found.length > 0) onRedacted?.(found);
	return JSON.stringify(value);
}
var isRedirect = ({ statusCode = 0 }) => statusCode >= 300 && statusCode < 400;
var elsewhere = ({ headers }) => `it leads elsewhere (${headers.location ?? "it does not say where"}); use that address if you trust it`;
/** What an answer says as JSON; undefined where it is something else, such as the page of a proxy. */
function jsonIn(text) {
	try {
		return JSON.parse(text);
	} catch {
		return;
	}
}
/** More than any answer of a vault has. */
var MOST_BYTES$1 = 268435456;
async function textOf(answer, mostBytes = MOST_BYTES$1) {
	const chunks = [];
	let size = 0;
	for await (const chunk of answer) {
		size += chunk.length;
		if (size > mostBytes) throw new Error("the answer is too large");
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString("utf8");
}
var isGood = ({ statusCode = 0 }) => statusCode >= 200 && statusCode < 300;
//#endregion
//#region src/doors/cli/hooks/post-json.ts
var MOST_BYTES = 1048576;
async function postJson(url, body, options) {
	const answer = await request(url, {
		method: "POST",
		headers: {
			"content-type": "application/json",
			"x-api-key": options.apiKey,
			...options.idempotencyKey ? { "idempotency-key": options.idempotencyKey } : {}
		},
		json: body,
		timeoutMs: options.timeoutMs
	});
	return {
		status: answer.statusCode ?? 0,
		body: jsonIn(await textOf(answer, MOST_BYTES))
	};
}
//#endregion
//#region src/doors/cli/hooks/recall.ts
var NOTHING = {
	text: "",
	ids: []
};
/** A longer answer is cut. The vault never sends more than this. */
var LONGEST_TEXT$1 = 8e3;
var LEAST_BUDGET = 200;
/** A person can set the budget of a start and of a compaction. The other moments use the vault's default. */
function budgetFor(moment) {
	const given = Number(process.env.KVAULT_HOOK_CHARS);
	if (!Number.isInteger(given) || given <= 0 || moment === "prompt" || moment === "failure") return {};
	return { budget_chars: Math.min(Math.max(given, LEAST_BUDGET), LONGEST_TEXT$1) };
}
var given = (name, value) => value === void 0 ? {} : { [name]: value };
/** Asks the vault at this moment. An answer other than 200 is an error; silence is not. */
async function recall(profile, question, timeoutMs) {
	const { status, body } = await postJson(`${profile.url}/api/v1/recall`, {
		moment: question.moment,
		project_key: question.projectKey,
		client: question.client,
		...given("text", question.text),
		...given("session_id", question.sessionId),
		...given("environment", question.environment),
		...given("exclude", question.exclude?.slice(-100)),
		...question.lostAnswer ? { lost_answer: true } : {},
		...budgetFor(question.moment)
	}, {
		apiKey: profile.apiKey,
		timeoutMs
	});
	if (status !== 200) throw new Error(`the vault answered ${status}`);
	const { silent, text, items } = body ?? {};
	if (silent === true || typeof text !== "string" || text.trim() === "") return NOTHING;
	const ids = Array.isArray(items) ? items.flatMap((item) => typeof item?.id === "string" ? [item.id] : []) : [];
	return {
		text: withoutControls(text).slice(0, LONGEST_TEXT$1).toWellFormed(),
		ids
	};
}
//#endregion
//#region src/doors/cli/hooks/run-log.ts
var LONGEST_ERROR = 300;
var fileOf = (agent, moment) => join(settingsFolder(), "hook-runs", `${agent}.${moment}.json`);
/** Long enough for somebody to ask. */
var LOSS_IS_SAID_MS = DAY_MS;
function lossBefore(agent, moment) {
	const former = moment === "capture" ? lastRun(agent, moment) : void 0;
	const loss = former?.error ? {
		at: former.at,
		error: former.error
	} : former?.lost;
	return loss && Date.parse(loss.at) > Date.now() - LOSS_IS_SAID_MS ? loss : void 0;
}
function noteRun(agent, moment, run) {
	try {
		const error = run.error?.slice(0, LONGEST_ERROR);
		const lost = error ? void 0 : lossBefore(agent, moment);
		const noted = {
			at: (/* @__PURE__ */ new Date()).toISOString(),
			...run,
			...error ? { error } : {},
			...lost ? { lost } : {}
		};
		writePrivate(fileOf(agent, moment), JSON.stringify(noted));
	} catch {}
}
function lastRun(agent, moment) {
	try {
		return JSON.parse(readFileSync(fileOf(agent, moment), "utf8"));
	} catch {
		return;
	}
}
//#endregion
//#region src/doors/cli/hooks/switches.ts
var file = () => join(settingsFolder(), "hooks.json");
/** What this person has switched off in all projects. In a file that cannot be read that is unknown, so everything is off. */
function personsSwitches() {
	const settings = settingsIn(file());
	const off = settings === null ? null : settings?.off ?? [];
	if (!Array.isArray(off)) return {
		off: ["all"],
		unreadable: file()
	};
	return { off: off.filter((item) => typeof item === "string") };
}
/** `KVAULT_HOOKS=off` for everything, or the names of what is off: `KVAULT_HOOKS=-prompt,-codex`. */
function switchesOfShell() {
	const given = (process.env.KVAULT_HOOKS ?? "").trim();
	if (/^(?:off|0|false)$/i.test(given)) return ["all"];
	return given.split(/[\s,]+/).filter((part) => part.startsWith("-")).map((part) => part.slice(1));
}
function isOff(off, agent, moment) {
	return [
		"all",
		agent,
		moment,
		`${agent}:${moment}`
	].some((name) => off.includes(name));
}
/** All switches together: the shell, the person's settings and the project can each switch off. */
var everySwitch = (ofProject) => [
	...switchesOfShell(),
	...personsSwitches().off,
	...ofProject
];
//#endregion
//#region src/doors/cli/hooks/run.ts
/** A person waits for their agent, so the hook gives up after this time. */
var GIVE_UP_MS = 800;
/** Nobody waits for an answer at the end of an exchange, and what is not kept then is lost. */
var END_IS_KEPT_WITHIN_MS = 6e4;
/** How long the vault may take at the end of an exchange to say whether it knows the name of a project. */
var LOOK_AT_THE_END_MS = 5e3;
var LONGEST_TEXT = 32e3;
var LONGEST_COMMAND = 4e3;
/** A longer text is first cut where no secret can be cut with it: to redact all of it would take longer than the hook has. */
var MAX_REDACTED = 128e3;
/** "yes", "go on": nothing to look for. */
var SHORTEST_PROMPT = 12;
var patienceMs = () => {
	const given = Number(process.env.KVAULT_HOOK_WAIT_MS);
	return Number.isInteger(given) && given > 0 ? given : GIVE_UP_MS;
};
/** How long a hook may wait. It is set before the payload is read: the name of the event has to tell. */
function longestMs(agent, event) {
	const kind = agent.read(event, {})?.kind;
	return kind === "stop" || kind === "end" ? END_IS_KEPT_WITHIN_MS : patienceMs();
}
var isOn = ({ call, off }, moment) => !isOff(off, call.agent.name, moment);
/** Git is asked once per folder and session; as long as the name in the file does not count, each time. */
async function projectKey(scene, timeoutMs) {
	const { folder, file, profile } = scene;
	const { sessionId } = scene.occasion;
	const { project } = readSession(sessionId);
	if (project?.folder === folder) return project.key;
	const remote = remoteKey(folder);
	const isNamedByFile = remote === void 0 && file.projectKey !== void 0;
	const { key, withheld } = isNamedByFile ? await (await import("./hook-later.mjs")).findProject(folder, profile, file, timeoutMs) : { key: remote ?? ownKey(folder) };
	scene.withheld = withheld;
	if (!isNamedByFile || key === file.projectKey) rememberSession(sessionId, { project: {
		folder,
		key
	} });
	return key;
}
/** A question needs no lasting name: if none can be kept, what belongs to no project is still found. */
async function projectToAsk(scene, timeoutMs) {
	try {
		return await projectKey(scene, timeoutMs);
	} catch {
		return passingName();
	}
}
/** Returns the text without its secrets. It comes before the cut of a question: half a secret is not recognised. */
async function redacted(text) {
	const { withoutSecrets } = await import("./hook-outgoing.mjs").then((n) => n.t);
	return withoutSecrets(outputToRedact(text, MAX_REDACTED)).value;
}
/** An exit code of 0 comes from a pipe that hides the real one, so it is left out. */
var failureText = async ({ command, exitCode, output }) => commandText({
	command: (await redacted(command)).slice(0, LONGEST_COMMAND).toWellFormed(),
	...exitCode ? { exitCode } : {},
	output: bothEnds(await redacted(output), LONGEST_TEXT)
});
var promptText = async (prompt) => bothEnds(await redacted(prompt), LONGEST_TEXT);
/**
* What the vault delivers at one moment; nothing if the moment is off, or if the vault is slow or unreachable. The
* outcome is logged.
*/
async function ask(scene, moment, readText) {
	const { call, occasion, profile } = scene;
	if (!isOn(scene, moment)) return "";
	const { sessionId } = occasion;
	const elapsed = () => Math.round(performance.now());
	try {
		const { shown = [], unheard } = readSession(sessionId);
		const text = await readText?.();
		const recalled = await recall(profile, {
			moment,
			text,
			projectKey: await projectToAsk(scene, patienceMs() - elapsed()),
			sessionId,
			client: call.agent.name,
			environment: knownEnvironment(scene.folder),
			...text !== void 0 && shown.length > 0 ? { exclude: shown } : {},
			...text !== void 0 && unheard ? { lostAnswer: true } : {}
		}, patienceMs() - elapsed());
		if (recalled.ids.length > 0) rememberSession(sessionId, (former) => ({ shown: [...former.shown ?? [], ...recalled.ids] }));
		noteRun(call.agent.name, moment, {
			ms: elapsed(),
			chars: recalled.text.length
		});
		return recalled.text;
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		rememberSession(sessionId, { unheard: true });
		noteRun(call.agent.name, moment, {
			ms: elapsed(),
			chars: 0,
			error: reason
		});
		return "";
	}
}
async function said(scene, texts) {
	const { withheld } = scene;
	const text = [(withheld && canInject(scene) ? (await import("./hook-later.mjs")).adviceOnce(withheld) : void 0) ?? "", ...texts].filter((one) => one !== "").join("\n\n");
	return text === "" ? SILENCE : scene.call.agent.inject(scene.call.event, text) ?? SILENCE;
}
var canInject = ({ call: { agent, event } }) => agent.inject(event, "") !== void 0;
/** A resumed session still has the text of its start in its conversation. */
async function onStart(scene, after) {
	forgetOldSessions();
	scene.call.startSending();
	if (after === "pause") return SILENCE;
	const { sessionId } = scene.occasion;
	rememberSession(sessionId, {
		compacted: false,
		...after === "nothing" ? {
			shown: [],
			unheard: false
		} : {}
	});
	return said(scene, [await ask(scene, after === "compaction" ? "compact" : "start")]);
}
/** A compaction that could not be answered is answered at the next prompt. */
async function onPrompt(scene, prompt) {
	const { sessionId } = scene.occasion;
	if (isOn(scene, "capture")) note(sessionId, { prompt });
	if (!canInject(scene)) return SILENCE;
	const { compacted } = readSession(sessionId);
	if (compacted) rememberSession(sessionId, { compacted: false });
	const isQuestion = prompt.trim().length >= SHORTEST_PROMPT && !prompt.trimStart().startsWith("/");
	return said(scene, await Promise.all([compacted ? ask(scene, "compact") : "", isQuestion ? ask(scene, "prompt", () => promptText(prompt)) : ""]));
}
async function onCommand(scene, run) {
	if (isOn(scene, "capture")) note(scene.occasion.sessionId, { run });
	if (!canInject(scene) || !hasFailed(run)) return SILENCE;
	return said(scene, [await ask(scene, "failure", () => failureText(run))]);
}
async function onCompact(scene) {
	if (canInject(scene)) return said(scene, [await ask(scene, "compact")]);
	rememberSession(scene.occasion.sessionId, { compacted: true });
	return SILENCE;
}
/** Lock files and the spool are loaded only here: no other moment waits for them. */
async function onStop(scene) {
	const { occasion, call, profile, folder } = scene;
	if (occasion.kind === "stop" && isOn(scene, "capture")) {
		const { captureTurn } = await import("./hook-later.mjs");
		const { sessionId, words } = occasion;
		const where = {
			projectKey: await projectKey(scene, LOOK_AT_THE_END_MS),
			folder,
			sessionId
		};
		const chars = await captureTurn({
			agent: call.agent.name,
			profile,
			words,
			...where
		});
		if (chars > 0) noteRun(call.agent.name, "capture", {
			ms: Math.round(performance.now()),
			chars
		});
	}
	call.startSending();
	return SILENCE;
}
function play(scene) {
	const { occasion } = scene;
	const { sessionId } = occasion;
	if (occasion.kind === "start") return onStart(scene, occasion.after);
	if (occasion.kind === "prompt") return onPrompt(scene, occasion.prompt);
	if (occasion.kind === "command") return onCommand(scene, occasion.run);
	if (occasion.kind === "compact") return onCompact(scene);
	if (occasion.kind === "stop" || occasion.kind === "end") return onStop(scene);
	if (isOn(scene, "capture")) note(sessionId, occasion.kind === "edit" ? { files: occasion.files } : { reply: occasion.reply });
	return SILENCE;
}
/** Some shells put a byte order mark before what they pass on. */
function payloadOf({ text }) {
	if (text === null) throw new Error("the agent passed more than 16 MB, which was not read");
	return JSON.parse(text.replace(/^\uFEFF/, "") || "{}");
}
/** What has happened. The session has the id by which the vault can know it. */
function occasionOf(call) {
	const payload = payloadOf(call);
	const occasion = isPayload(payload) ? call.agent.read(call.event, payload) : void 0;
	return occasion?.sessionId ? {
		...occasion,
		sessionId: storableId(occasion.sessionId)
	} : occasion;
}
/** Executes a hook. An error never stops the agent: the answer is silence, and `kvault doctor` says why. */
async function runHook(call) {
	try {
		const { apiKey, ...rest } = findProfile();
		if (!apiKey) return SILENCE;
		const occasion = occasionOf(call);
		if (!occasion) return SILENCE;
		const folder = occasion.folder ?? process.cwd();
		const file = readProjectFiles(folder);
		const off = everySwitch(file.off);
		if (off.includes("all") || off.includes(call.agent.name)) return SILENCE;
		return await play({
			call,
			occasion,
			profile: {
				...rest,
				apiKey
			},
			folder,
			file,
			off
		});
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		noteRun(call.agent.name, "capture", {
			ms: Math.round(performance.now()),
			chars: 0,
			error: reason
		});
		return SILENCE;
	}
}
//#endregion
//#region src/doors/cli/hooks/main.ts
var MOST_INPUT = 16777216;
/**
* On a busy machine the time for the vault may be over before the payload is read. The command is noted all the same,
* and that the vault was not heard.
*/
var OWN_WORK_MS = 700;
/** Hooks that were set up before there were several agents. */
var FORMER = {
	"session-start": "SessionStart",
	stop: "Stop"
};
/** Null beyond the limit: no known payload is that large. */
async function readInput() {
	const chunks = [];
	let size = 0;
	for await (const chunk of process.stdin) {
		size += chunk.length;
		if (size > MOST_INPUT) return null;
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString("utf8");
}
/** Ends the program as soon as the agent has the whole answer, whatever else is still open. */
function finish({ output, exitCode }) {
	if (output === "") process.exit(exitCode);
	process.stdout.write(output, () => process.exit(exitCode));
}
async function answered(agentName, event) {
	const agent = findHookAgent(FORMER[agentName] ? "claude-code" : agentName);
	if (!agent) return SILENCE;
	const happened = FORMER[agentName] ?? event;
	const leftMs = Math.max(0, longestMs(agent, happened) - performance.now());
	setTimeout(() => process.exit(0), leftMs + OWN_WORK_MS);
	return runHook({
		agent,
		event: happened,
		text: await readInput(),
		startSending: sendInBackground
	});
}
async function send() {
	const { sendWaiting } = await import("./hook-later.mjs");
	await sendWaiting();
	return SILENCE;
}
var [first = "", ...rest] = process.argv.slice(2);
var [agentName = "", event = ""] = first === "hook" ? rest : [first, ...rest];
process.on("uncaughtException", () => process.exit(0));
process.stdout.on("error", () => process.exit(0));
(agentName === "send" ? send() : answered(agentName, event)).then(finish, () => process.exit(0));
//#endregion
export { oneSpelling as A, partOf as B, folderHash as C, remoteKey as D, ownKey as E, settingsFolder as F, readCommandText as I, exitCodeOf as L, writePrivate as M, KVAULT as N, readProjectFiles as O, replaceFile as P, isPayload as R, keepEnvironment as S, keptNames as T, cleanLine as _, request as a, terminalLines as b, takeJournal as c, takeLock as d, withLock as f, hasFailed as g, bothEnds as h, jsonIn as i, savedProfile as j, findProfile as k, readSession as l, startToRedact as m, postJson as n, textOf as o, DAY_MS as p, isGood as r, readJournal as s, noteRun as t, rememberSession as u, isStackFrame as v, keptNameOf as w, terminalText as x, isStamped as y, objectOf as z };
