// Made by npm run build:plugin from src/doors/cli. Do not edit.
import { appendFileSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import { createHash } from "node:crypto";
//#region src/doors/cli/folders.ts
/** Where this person's settings of ours lie: the profile and what was connected. */
var settingsFolder = () => process.env.KVAULT_HOME || join(process.env.XDG_CONFIG_HOME || join(homedir(), ".config"), "kvault");
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
var profileFile = () => join(settingsFolder(), "profile.json");
function savedProfile() {
	try {
		return JSON.parse(readFileSync(profileFile(), "utf8"));
	} catch {
		return;
	}
}
var tidy = (url) => url.replace(/\/+$/, "");
var namedUrl = (options) => options.url ?? (process.env.KVAULT_URL || void 0);
/** Options first, then KVAULT_URL and KVAULT_API_KEY, then what `kvault login` or `connect` saved. */
function findProfile(options = {}) {
	const saved = savedProfile();
	const url = tidy(namedUrl(options) ?? saved?.url ?? vaultOfPackage() ?? "http://127.0.0.1:8080");
	const apiKey = givenKey(options) ?? (saved?.url === url ? saved.apiKey : void 0);
	return {
		url,
		...apiKey ? { apiKey } : {}
	};
}
/** A key that was handed to this call, as opposed to one that was saved. */
var givenKey = (options) => options.key ?? (process.env.KVAULT_API_KEY || void 0);
//#endregion
//#region src/doors/cli/hooks/environment-cache.ts
var fileOf$1 = (folder) => join(settingsFolder(), "environments", `${createHash("sha256").update(folder).digest("hex").slice(0, 32)}.json`);
/** To read lock files takes longer than the rest of a hook, so the other moments use what the last capture found. */
function knownEnvironment(folder) {
	try {
		return JSON.parse(readFileSync(fileOf$1(folder), "utf8"));
	} catch {
		return;
	}
}
function keepEnvironment(folder, environment) {
	try {
		mkdirSync(join(settingsFolder(), "environments"), {
			recursive: true,
			mode: 448
		});
		writeFileSync(fileOf$1(folder), JSON.stringify(environment), { mode: 384 });
	} catch {}
}
//#endregion
//#region src/doors/cli/hooks/failures.ts
/** How much of an output is looked at: the two ends, where tools say what went wrong. */
var LOOKED_AT = 16e3;
/**
* What tools write at the beginning of a line when they fail. A pipe hides the exit code (`npm test | tail`), and some agents
* do not tell it; then these decide whether the vault is asked at all. The vault itself decides whether it has something to say.
*/
var SIGNS = [
	/^[ \t]{0,8}(?:npm ERR!|npm error|fatal:|panic:|Traceback \(most recent call last\)|BUILD FAILED|Segmentation fault)/m,
	/^[ \t]{0,8}(?:error(?:\[[A-Z]\d{1,5}\])?:|ERROR[: ]|FAIL(?:ED|URE)?[ :])/m,
	/^[ \t]{0,8}(?:E {2,8})?[A-Za-z_.]{0,80}(?:Error|Exception):/m,
	/\berror TS\d{4,5}:/,
	/: (?:command not found|No such file or directory|Permission denied)$/m,
	/\b[1-9]\d{0,5} (?:failed|failing)\b/
];
var PIPED = /\||;|&&/;
/** The two ends of a long text. */
function bothEnds(text, most) {
	if (text.length <= most) return text;
	const head = Math.floor(most / 4);
	return `${text.slice(0, head).toWellFormed()}\n…\n${text.slice(-(most - head - 3)).toWellFormed()}`;
}
/** An exit code says it. Where it is hidden or not told, the output does. */
function hasFailed({ command, exitCode, output }) {
	if (exitCode !== null && exitCode !== 0) return true;
	if (exitCode === 0 && !PIPED.test(command)) return false;
	const shown = bothEnds(output, LOOKED_AT);
	return SIGNS.some((sign) => sign.test(shown));
}
//#endregion
//#region src/doors/cli/hooks/sessions.ts
var KEPT_MS = 2592e6;
var sessionsFolder = () => join(settingsFolder(), "sessions");
/** A session is named by somebody else's program, so its name is never part of a path. */
var sessionFile = (sessionId, ending) => join(sessionsFolder(), createHash("sha256").update(sessionId).digest("hex").slice(0, 32) + ending);
function readSession(sessionId) {
	if (!sessionId) return {};
	try {
		return JSON.parse(readFileSync(sessionFile(sessionId, ".json"), "utf8")) ?? {};
	} catch {
		return {};
	}
}
/** A hook that cannot remember still does its work. */
function rememberSession(sessionId, change) {
	if (!sessionId) return;
	try {
		mkdirSync(sessionsFolder(), {
			recursive: true,
			mode: 448
		});
		const { shown = [], ...rest } = {
			...readSession(sessionId),
			...change
		};
		writeFileSync(sessionFile(sessionId, ".json"), JSON.stringify({
			...rest,
			shown: shown.slice(-200)
		}), { mode: 384 });
	} catch {}
}
/** Sessions of long ago are not resumed any more. */
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
var MOST_BYTES$1 = 2097152;
var LONGEST_OUTPUT = 8e3;
var LONGEST_COMMAND = 2e3;
var LONGEST_WORDS = 2e4;
var MOST_FILES = 100;
var LONGEST_FILE_NAME = 1e3;
function shortened(entry) {
	if ("prompt" in entry) return { prompt: entry.prompt.slice(0, LONGEST_WORDS) };
	if ("reply" in entry) return { reply: entry.reply.slice(0, LONGEST_WORDS) };
	if ("files" in entry) return { files: entry.files.slice(0, MOST_FILES).map((name) => name.slice(0, LONGEST_FILE_NAME)) };
	const { command, exitCode, output } = entry.run;
	return { run: {
		command: command.slice(0, LONGEST_COMMAND),
		exitCode,
		output: bothEnds(output, LONGEST_OUTPUT)
	} };
}
/** One line is appended in one step, so that hooks which run at once do not mix theirs. */
function note(sessionId, entry) {
	if (!sessionId) return;
	try {
		const file = sessionFile(sessionId, ".jsonl");
		const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
		if (size > MOST_BYTES$1) return;
		if (size === 0) mkdirSync(sessionsFolder(), {
			recursive: true,
			mode: 448
		});
		appendFileSync(file, `${JSON.stringify(shortened(entry))}\n`, { mode: 384 });
	} catch {}
}
var parsed$1 = (line) => {
	try {
		return line ? [JSON.parse(line)] : [];
	} catch {
		return [];
	}
};
function readJournal(sessionId) {
	if (!sessionId) return [];
	try {
		return readFileSync(sessionFile(sessionId, ".jsonl"), "utf8").split("\n").flatMap(parsed$1);
	} catch {
		return [];
	}
}
/** Takes everything out. Of two that take at once, one gets it. */
function takeJournal(sessionId) {
	if (!sessionId) return [];
	const taken = sessionFile(sessionId, `.${process.pid}.taken`);
	try {
		renameSync(sessionFile(sessionId, ".jsonl"), taken);
		return readFileSync(taken, "utf8").split("\n").flatMap(parsed$1);
	} catch {
		return [];
	} finally {
		rmSync(taken, { force: true });
	}
}
//#endregion
//#region src/doors/cli/hooks/post-json.ts
var MOST_BYTES = 1048576;
async function postJson(url, body, options) {
	const { request } = url.startsWith("https:") ? await import("node:https") : await import("node:http");
	const sent = Buffer.from(JSON.stringify(body));
	return new Promise((resolve, reject) => {
		const asked = request(url, {
			method: "POST",
			agent: false,
			signal: AbortSignal.timeout(Math.max(1, options.timeoutMs)),
			headers: {
				"content-type": "application/json",
				"content-length": sent.length,
				"x-api-key": options.apiKey,
				...options.idempotencyKey ? { "idempotency-key": options.idempotencyKey } : {}
			}
		}, (response) => {
			const chunks = [];
			let size = 0;
			response.on("data", (chunk) => {
				size += chunk.length;
				if (size > MOST_BYTES) asked.destroy(/* @__PURE__ */ new Error("the answer is too large"));
				else chunks.push(chunk);
			});
			response.once("error", reject);
			response.once("end", () => {
				const text = Buffer.concat(chunks).toString("utf8");
				resolve({
					status: response.statusCode ?? 0,
					body: parsed(text)
				});
			});
		});
		asked.once("error", reject);
		asked.end(sent);
	});
}
function parsed(text) {
	try {
		return JSON.parse(text);
	} catch {
		return;
	}
}
//#endregion
//#region src/doors/cli/hooks/run-log.ts
var LONGEST_ERROR = 300;
var fileOf = (agent, moment) => join(settingsFolder(), "hook-runs", `${agent}.${moment}.json`);
function noteRun(agent, moment, run) {
	try {
		const file = fileOf(agent, moment);
		mkdirSync(join(settingsFolder(), "hook-runs"), {
			recursive: true,
			mode: 448
		});
		const error = run.error?.slice(0, LONGEST_ERROR);
		const noted = {
			at: (/* @__PURE__ */ new Date()).toISOString(),
			...run,
			...error ? { error } : {}
		};
		writeFileSync(file, JSON.stringify(noted), { mode: 384 });
	} catch {}
}
//#endregion
export { takeJournal as a, rememberSession as c, keepEnvironment as d, knownEnvironment as f, readJournal as i, bothEnds as l, settingsFolder as m, postJson as n, forgetOldSessions as o, findProfile as p, note as r, readSession as s, noteRun as t, hasFailed as u };
