// Made by npm run build:plugin from src/doors/cli. Do not edit.
import { createRequire } from "node:module";
import { basename, dirname, isAbsolute, join, sep } from "node:path";
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { fileURLToPath } from "node:url";
import { parse } from "jsonc-parser";
//#region src/core/http/header-text.ts
/** Header values are ASCII; the Model Context Protocol wraps what is not. */
var headerText = (text) => /^[\x21-\x7e]+$/.test(text) ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
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
/** The vault refused. `code` is its own word for why. */
var Refusal = class extends CommandError {
	code;
	constructor(message, exitCode, code) {
		super(message, exitCode);
		this.code = code;
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
var DEFAULT_URL = "http://127.0.0.1:8080";
var profileFile = () => join(settingsFolder(), "profile.json");
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
//#region src/doors/cli/account.ts
/**
* The owner of what waits on this machine. A profile knows the id of its person; a key from the environment does not, and
* asking the vault would make every hook slower, so its hash stands for the person. It does not reveal the key.
*/
var accountOf = ({ apiKey, userId }) => userId ?? `key:${createHash("sha256").update(apiKey).digest("hex").slice(0, 32)}`;
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
/** For a person: what is wrong with such a file. */
var unreadableText = (file) => `${file} cannot be read as a JSON object of at most ${LARGEST_FILE / 1024} KB`;
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
//#region src/doors/cli/http-request.ts
/**
* Requests by node:http, because loading `fetch` takes 150 ms of processor time, which is more than all the rest of a
* short command. An `import` of node:http loads the same: it reads every export, and one of them is the client behind
* `fetch`. `require` does not.
*/
var require$1 = createRequire(import.meta.url);
var nodeHttp = () => require$1("node:http");
var nodeHttps = () => require$1("node:https");
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
	const { withoutSecrets } = await import("./mcp-outgoing.mjs");
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
var MOST_BYTES = 268435456;
async function textOf(answer, mostBytes = MOST_BYTES) {
	const chunks = [];
	let size = 0;
	for await (const chunk of answer) {
		size += chunk.length;
		if (size > mostBytes) throw new Error("the answer is too large");
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString("utf8");
}
var isGood$1 = ({ statusCode = 0 }) => statusCode >= 200 && statusCode < 300;
var isEventStream = ({ headers }) => headers["content-type"]?.startsWith("text/event-stream") ?? false;
/** In words, as one reason among others: "…: nothing listens there". */
function reasonOf(error) {
	const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
	if (!(cause instanceof Error)) return String(cause);
	if ("code" in cause && cause.code === "ECONNREFUSED") return "nothing listens there";
	if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0].message;
	return cause.message;
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
//#region src/doors/cli/terminal.ts
/** A line on standard error, as clean: it may name a folder of a stranger's repository, or what a server has said. */
var warn = (text) => void process.stderr.write(`${withoutControls(text)}\n`);
new RegExp(`(\u001b\\[(?:0|${Object.values({
	bold: 1,
	dim: 2,
	red: 31,
	green: 32,
	yellow: 33
}).join("|")})m)`);
//#endregion
//#region src/doors/cli/vault-client.ts
var TIMEOUT_MS = 3e4;
/** Sends one request. Every answer is returned; only an address without a vault, or with one that is away, is an error. */
async function ask(url, path, options = {}) {
	const reply = await answerTo(url, path, options);
	if (!isGood(reply)) return reply;
	const { shape } = options;
	if (typeof reply.body === "string" || shape !== void 0 && !hasShape(reply.body, shape)) throw notAVault(url);
	return reply;
}
function hasShape(value, shape) {
	if (shape === null) return value === void 0;
	if (typeof shape !== "object") return typeof value === typeof shape;
	if (isList(shape)) {
		const [example] = shape;
		return Array.isArray(value) && (example === void 0 || value.every((item) => hasShape(item, example)));
	}
	if (typeof value !== "object" || value === null) return false;
	return Object.entries(shape).every(([name, part]) => hasShape(value[name], part));
}
var isList = (shape) => Array.isArray(shape);
var isGood = ({ status }) => status >= 200 && status < 300;
/** Another program listens there, or a network that wants a sign-in first. */
var notAVault = (url) => new CommandError(`${url} does not answer as a vault does. Check the address, and whether your network wants a sign-in first.`);
async function answerTo(url, path, options) {
	const { body: json, isVerbatim, text: given } = options;
	try {
		const answer = await request(url + path, {
			method: options.method ?? (json === void 0 ? "GET" : "POST"),
			headers: {
				...json === void 0 ? {} : { "content-type": "application/json" },
				...options.headers
			},
			...json === void 0 || isVerbatim ? { body: given ?? JSON.stringify(json) } : { json },
			timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
			onRedacted: (found) => warn(`Secrets were replaced before anything was sent: ${found.join(", ")}.`)
		});
		const text = await textOf(answer);
		const { statusCode: status = 0, headers } = answer;
		return {
			status,
			body: text ? parsed(text) : void 0,
			headers
		};
	} catch (error) {
		throw new CommandError(`${url} cannot be reached: ${reasonOf(error)}.`);
	}
}
function parsed(text) {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}
//#endregion
//#region src/doors/cli/user-id.ts
/** Whose key it is; undefined if the vault does not say, since the key works without it. */
async function userIdOf({ url, apiKey }) {
	const reply = await ask(url, "/api/v1/auth/me", { headers: { "x-api-key": apiKey } }).catch(() => void 0);
	const id = reply?.status === 200 ? reply.body?.user_id : void 0;
	return typeof id === "string" ? id : void 0;
}
/** The profile with the id of its person. For a key that was given or has just been made, the vault is asked. */
async function withUserId(profile) {
	if (profile.userId) return profile;
	const userId = await userIdOf(profile);
	return {
		...profile,
		...userId ? { userId } : {}
	};
}
//#endregion
//#region src/doors/cli/allowed-workspaces.ts
/**
* The workspaces that a `.kvault.json` may send cards to. The file comes with a repository, and somebody can be added
* to a workspace without being asked, so a stranger could collect what others record. Each person allows a workspace
* once on their machine.
*/
var file = () => join(settingsFolder(), "workspaces.json");
var nameOf = (profile) => `${profile.url} ${accountOf(profile)}`;
function allowedFor(profile) {
	const allowed = settingsIn(file())?.[nameOf(profile)];
	return Array.isArray(allowed) ? allowed.filter((id) => typeof id === "string") : [];
}
/** By the account: what was allowed with one key of a person holds for their others. */
async function isAllowed(given, workspaceId) {
	const isIn = (profile) => allowedFor(profile).includes(workspaceId.toLowerCase());
	return isIn(given) || isIn(await withUserId(given));
}
/** For callers without a terminal, who are mostly agents: the message says what a person has to run. */
async function requireAllowed(profile, { id, file }) {
	if (await isAllowed(profile, id)) return;
	throw new CommandError(`Nothing was recorded. ${file} sends new cards to the workspace ${id}, which nobody has allowed on this machine. Ask the person to run once: ${KVAULT} allow-workspace ${id}. Or name the workspace of the card yourself.`, EXIT.byHand);
}
//#endregion
//#region src/doors/cli/event-stream.ts
/** The data of each event in an event stream. */
async function* eventsOf(stream) {
	let rest = "";
	const decoder = new TextDecoder();
	for await (const chunk of stream) {
		rest += decoder.decode(chunk, { stream: true });
		const blocks = rest.split(/\r?\n\r?\n/);
		rest = blocks.pop() ?? "";
		for (const block of blocks) {
			const data = dataOf(block);
			if (data) yield data;
		}
	}
	const data = dataOf(rest);
	if (data) yield data;
}
var dataOf = (block) => block.split(/\r?\n/).flatMap((line) => line.startsWith("data:") ? line.slice(5).trimStart() : []).join("\n");
//#endregion
//#region src/doors/cli/lines.ts
var LINE_END = new Uint8Array([10]);
/**
* Takes the chunks of a stream and returns the lines that each completes. Only "\n" ends a line: JSON may hold U+2028 and
* U+2029 as they are, and newer versions of `readline` split there too.
*/
function lineSplitter() {
	const decoder = new TextDecoder();
	let begun = "";
	return (chunk) => {
		const [first = "", ...others] = decoder.decode(chunk, { stream: true }).split("\n");
		const lines = [begun + first, ...others];
		begun = lines.pop() ?? "";
		return lines;
	};
}
/** The lines of a stream. The last one may end with the stream; after a line end it is empty. */
async function* linesOf(stream) {
	const split = lineSplitter();
	for await (const chunk of stream) yield* split(chunk);
	yield* split(LINE_END);
}
//#endregion
//#region src/doors/cli/project-file.ts
var PROJECT_FILE = ".kvault.json";
var MOST_FOLDERS = 64;
var LONGEST_NAME = 1e3;
var MOST_SWITCHES = 100;
/** The key of a person's own preferences belongs to no repository. */
var RESERVED = /^\s{0,10}__user__/i;
var nameIn = (value) => typeof value === "string" && value.trim() !== "" && value.length <= LONGEST_NAME && !RESERVED.test(value) ? value : void 0;
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
//#region src/doors/cli/uuid.ts
var UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/** The form of every id of the vault. The schemas of the service would take too long to load for this. */
var isUuid = (text) => UUID.test(text);
createRequire(import.meta.url);
/** The home of a project's cards. In doubt no card is recorded in the wrong place. */
function homeOf(folder) {
	const { workspaceId, workspaceFile, unreadable } = readProjectFiles(folder);
	if (workspaceId !== void 0 && !isUuid(workspaceId)) throw new CommandError(`${workspaceFile}: workspace_id is the id of a workspace, not "${workspaceId}".`, EXIT.usage);
	const nearer = unreadable.filter((file) => file.length > (workspaceFile?.length ?? 0));
	if (nearer.length > 0) throw new CommandError(`${nearer.map(unreadableText).join("; ")}, so it is unknown where the card belongs. Repair the file, or name the workspace of the card.`, EXIT.usage);
	return workspaceId === void 0 || workspaceFile === void 0 ? void 0 : {
		id: workspaceId,
		file: workspaceFile
	};
}
/** The person may not know which file names a workspace that is gone, or that they have left. Other errors stay. */
function withFileOfHome(error, { id, file }) {
	if (!(error instanceof Refusal && ["not_found", "forbidden"].includes(error.code ?? ""))) return error;
	return new CommandError(`Nothing was recorded. ${file} sends new cards to the workspace ${id}, and the vault refused: ${error.message} Correct the file, or name the workspace of the card yourself.`, error.exitCode);
}
//#endregion
//#region src/doors/cli/bridge.ts
var CALL_TIMEOUT_MS = 12e4;
var PARSE_ERROR = -32700;
var INVALID_REQUEST = -32600;
var INTERNAL_ERROR = -32603;
/** The vault asks a client nothing, so nobody waits for it; an answer under its id would be one to another question. */
var isResponse = (message) => message.method === void 0 && ("result" in message || "error" in message);
/** Nobody waits for an answer to it, and the protocol allows none. */
var isNotification = ({ id, method }) => id === void 0 && typeof method === "string";
var protocolVersion = ({ params }) => {
	const version = (params?._meta)?.["io.modelcontextprotocol/protocolVersion"];
	return typeof version === "string" ? version : void 0;
};
/** The request headers that the newer protocol repeats from the body, so that proxies can route by them. */
function protocolHeaders(message, negotiated) {
	const version = protocolVersion(message) ?? negotiated;
	const name = message.params?.name ?? message.params?.uri;
	return {
		...version ? { "mcp-protocol-version": version } : {},
		...typeof message.method === "string" ? { "mcp-method": headerText(message.method) } : {},
		...typeof name === "string" && protocolVersion(message) ? { "mcp-name": headerText(name) } : {}
	};
}
/**
* A card that names no workspace goes to the `workspace_id` of the project's `.kvault.json`, once the person has allowed
* that. Without a key the vault refuses in any case.
*/
async function homeFor(profile, { method, params }) {
	if (method !== "tools/call" || params?.name !== "record_card") return void 0;
	const given = params.arguments;
	const { url, apiKey } = profile;
	const home = given?.workspace_id ? void 0 : homeOf(process.cwd());
	if (!home || !url || !apiKey) return void 0;
	await requireAllowed({
		...profile,
		url,
		apiKey
	}, home);
	return home;
}
function withHome({ params, ...rest }, { id: workspace_id }) {
	const given = params?.arguments;
	return {
		...rest,
		params: {
			...params,
			arguments: {
				...given,
				workspace_id
			}
		}
	};
}
/** Replaces the secrets in what a tool or a prompt is given. Anything else in a message belongs to the protocol. */
async function withoutSecretsIn(message) {
	const { params } = message;
	const part = params?.arguments === void 0 ? "argument" : "arguments";
	if (params?.[part] === void 0) return message;
	const { withoutSecrets } = await import("./mcp-outgoing.mjs");
	const { value, found } = withoutSecrets(params[part]);
	if (found.length === 0) return message;
	process.stderr.write(`Secrets were replaced before anything was sent: ${found.join(", ")}.\n`);
	return {
		...message,
		params: {
			...params,
			[part]: value
		}
	};
}
/** The agent named no workspace, so a refusal of it has to say which file did. */
function withFileNamed(text, reply, home) {
	const { result } = reply ?? {};
	if (!home || !result?.isError) return text;
	const refused = jsonIn(result.content?.[0]?.text ?? "") ?? {};
	const refusal = new Refusal(String(refused.detail), EXIT.failed, refused.code);
	const named = withFileOfHome(refusal, home);
	if (named === refusal || !(named instanceof CommandError)) return text;
	const content = [{
		type: "text",
		text: JSON.stringify({
			...refused,
			detail: named.message
		})
	}];
	return JSON.stringify({
		...reply,
		result: {
			...result,
			content
		}
	});
}
var send = async (profile, line, message, negotiated) => {
	const home = await homeFor(profile, message);
	const clean = await withoutSecretsIn(home ? withHome(message, home) : message);
	return {
		answer: await request(`${profile.url}/mcp`, {
			method: "POST",
			headers: {
				"content-type": "application/json",
				accept: "application/json, text/event-stream",
				...profile.apiKey ? { "x-api-key": profile.apiKey } : {},
				...protocolHeaders(message, negotiated)
			},
			body: clean === message ? line : JSON.stringify(clean),
			timeoutMs: CALL_TIMEOUT_MS
		}),
		home
	};
};
/**
* The vault of this bridge. `kvault login` ends the key of the last time while bridges run: a message whose key is refused
* is sent once more if another key of the same vault was saved meanwhile.
*/
function vaultOf(options) {
	let profile = findProfile(options);
	const toDo = givenKey(options) === void 0 ? `Run: ${KVAULT} login` : `Give this entry another key, or run: ${KVAULT} connect`;
	return {
		url: profile.url,
		advice: `${toDo} --url ${profile.url}`,
		send: async (line, message, negotiated) => {
			const tried = profile.apiKey;
			const answered = await send(profile, line, message, negotiated);
			if (answered.answer.statusCode !== 401) return answered;
			const saved = findProfile(options);
			if (saved.url !== profile.url || !saved.apiKey || saved.apiKey === tried) return answered;
			profile = saved;
			answered.answer.resume();
			return send(profile, line, message, negotiated);
		}
	};
}
/** Why the vault gave no answer of the protocol. */
function refusalText(status, detail, { advice }) {
	const said = typeof detail === "string" ? detail : void 0;
	if (status === 401) return `${said ?? "Not signed in."} ${advice}`;
	return said ?? `The vault answered ${status}`;
}
/** The vault answers `initialize` by a stream or by JSON; the next messages name the version of its answer. */
var agreedVersion = ({ method }, reply) => method === "initialize" ? reply?.result?.protocolVersion : void 0;
/** A vault that could not read the message does not know its id, and the client would wait for an answer to it. */
var withIdOf = ({ id }, reply, text) => reply.id === null ? JSON.stringify({
	...reply,
	id: id ?? null
}) : text;
/**
* An MCP server on standard input and output for clients without HTTP: each line goes to the vault, each answer comes back
* as a line. It knows nothing of the tools except the home of new cards, so it never lags behind the vault.
*/
async function bridge(options = {}) {
	const vault = vaultOf(options);
	let negotiated;
	const write = (text) => process.stdout.write(`${text.replaceAll("\n", "")}\n`);
	const refuse = (id, code, text) => write(JSON.stringify({
		jsonrpc: "2.0",
		id,
		error: {
			code,
			message: text
		}
	}));
	const fail = ({ id }, text) => {
		if (id !== void 0) refuse(id, INTERNAL_ERROR, text);
	};
	async function forward(line, message) {
		const { answer, home } = await vault.send(line, message, negotiated);
		if (isEventStream(answer)) {
			let isAnswered = false;
			for await (const data of eventsOf(answer)) {
				const reply = jsonIn(data);
				write(withFileNamed(data, reply, home));
				isAnswered ||= reply?.id === message.id;
				negotiated = agreedVersion(message, reply) ?? negotiated;
			}
			if (!isAnswered) fail(message, `${vault.url} ended its answer too early. Try again`);
			return;
		}
		const text = await textOf(answer);
		const reply = jsonIn(text);
		if (reply?.jsonrpc === "2.0") {
			negotiated = agreedVersion(message, reply) ?? negotiated;
			if (!isNotification(message)) write(withIdOf(message, reply, withFileNamed(text, reply, home)));
		} else if (isGood$1(answer)) fail(message, `${vault.url} does not answer as a vault does`);
		else fail(message, refusalText(answer.statusCode, reply?.detail, vault));
	}
	const pending = /* @__PURE__ */ new Set();
	for await (const line of linesOf(process.stdin)) {
		if (!line.trim()) continue;
		const message = jsonIn(line);
		if (typeof message !== "object" || message === null || Array.isArray(message)) {
			if (message === void 0) refuse(null, PARSE_ERROR, "Not JSON");
			else refuse(null, INVALID_REQUEST, "Not a JSON-RPC message");
			continue;
		}
		if (isResponse(message)) continue;
		const call = forward(line, message).catch((error) => fail(message, error instanceof CommandError ? error.message : `The vault at ${vault.url} cannot be reached: ${reasonOf(error)}`));
		pending.add(call);
		call.finally(() => pending.delete(call));
		if (message.method === "initialize") await call;
	}
	await Promise.all(pending);
}
//#endregion
//#region src/doors/cli/plugin-mcp.ts
await bridge();
//#endregion
export {};
