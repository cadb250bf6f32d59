/**
 * English signs of a text that steers the agent that reads it, for sentences without the usual words. Each group
 * counts once in a passage of two sentences; a passage that reaches `MIN_QUIET_POINTS` is marked. The points were
 * fitted on attacks and on pages about software and agents: a group that is rare in such pages counts more.
 */
export const MIN_QUIET_POINTS = 20

type QuietGroup = { points: number; words: string }

/** Words as in `LANGUAGES`; `{a,b}` stands for either. */
export const QUIET_GROUPS: Readonly<Record<string, QuietGroup>> = {
  reader: {
    points: 12,
    words: `{who,what}ever_{reads,is_read,process,retriev,load,open,fetch,receiv,pars,consum,handl,sees,appl,find,use} whichever_{model,agent,assistant,tool}
      {anyone,anybody,someone,everyone,one_who,those_who}_{read,process,retriev,load,fetch,pars,consum,handl,appl}
      {reads,reading,processes,processing,retrieves,retrieved,retrieving,loads,loaded,opens,fetched,parses,parsing,consumes,consuming,handles,handling,sees,ingests,ingesting,summarises,summarizes,summarising,summarizing,applies,receives}_{this_,these_lines}
      {reader,consumer,recipient,user,caller}{s,}_of_{this,get_,the_vault}
      {automated,ai,llm,machine,agentic,non-human,autonomous}_{reader,client,consumer,system.,helper,caller,entit} ai-driven_client
      tool{_,-}call{er,ing_agent}
      {calling,retrieving,consuming,processing,reading,executing,receiving,downstream,handling}_{system,agent,model,process,part,assistant,client}
      {all,any,each,every,dear,hey,hello,attention}_{assistant,agents.,ai.,ais.,claude.,copilot,bots.,automat} to_the_{assistant.,agent.,ai.}
      {note,notice,message,reminder,instructions}_{to,for}_{the_,all_,}{assistant,agent,ai.,llm,copilot,bots.} for_{machines_only,ai_agents,ai_assistants}
      {if,since,because}_{you_are,you're}_{an_ai,an_assistant,an_agent,an_llm,an_automated,an_autonomous,a_language,a_model,a_bot,a_coding}
      as_{an_ai.,a_language_model,an_assistant_you,an_agent_you,the_assistant_you,the_agent_you}
      {agents,assistants,models,llms,bots}_{that_,who_,which_,}{retriev,process,using_this,open_,load,handl,operat,consum}
      {agent,assistant,model,llm}_{reading,processing_this,using_this,consuming,handling_this,retriev,that_reads} to_whom_it_may
      any_{llm,model,assistant,agent,ai}_that {for,intended_for}_{the_language_model,software_only,the_model_only,machines} quick_note_for
      survey_for_assistants ai_systems_{hand,must,should,are} encounters_this`,
  },
  itself: {
    points: 12,
    words: `this_{card.,entry,note.,record.,text.,paragraph,notice,message.,passage,advisory,memo,knowledge,step.,instruction.,directive,detail,command.,action.,change.,session.}
      {these,following}_{lines,notes,instructions,commands,directions} {instructions,commands,steps,line,lines,text,list,block,link,paste,url,address}_below
      the_{card,text,lines,entry,paragraph}_you under_this_card open{s,}_a_card for_reading described_in_this in_this_{note,section,card}`,
  },
  turn: {
    points: 10,
    words: `before_{you_,}{answer,repl,respond,report,continu,read,summari,present,finish,complet,doing,using,proceed} before_any{thing_else,_other}
      {in,into,from,of}_your_{answer,repl,respon,summar,report,verdict,feedback,output,next,final} your_{next,final}_{card,answer,reply,message,response}
      your_{answer,reply,replies,response,summary,report,verdict,feedback}. {when,whenever}_{you_,}{summari,answering,answer.,reply,replying,respond}
      {rest,remainder,end}_of_{the,this}_{session,task,turn,conversation,day} {this,the_same,next,following,subsequent}_turn until_the_session current_task
      {each,every}_later later_question after_reading once_{you_have_,}read your_final_message every_reply when_the_task_is_done the_final_answer
      before_you_close {start,beginning}_of_each_task on_completion next_time_{someone,the_user,you} what{ever,}_you_are_asked_next`,
  },
  memory: {
    points: 7,
    words: `standing_{pref,instr,perm,appro,rule,order,leave,consent,authori}
      {permanent,persistent,lasting,durable,long-term,longterm,stored}_{note,pref,instr,mem,rule,fact,approv,perm}
      {your,its,their,agent's,assistant's,working}_memory {to,into}_{memory.,your_notes} {commit,save,add,append}_{this_to,it_to,to_mem}
      {instruction,memory}{s,}_file remember_{for,this,that,across,in_all,permanently,always,from_now,as_a,the_following} {keep,bear}_in_mind
      {record,save,store,note,retain,persist,treat}_{this_as,it_as,that_as,as_a,as_the,this_so,that_so,this_for,it_for} {retain,persist}s_th jot_down
      {future,later,subsequent,upcoming,all,every,each}_{session,conversation,tasks} across_{sessions,conversations}
      from_{now_on,here_on,this_point,this_moment} {to_come,agent's_memory,assistant's_memory} memory_should as_the_team_default as_a_rule henceforth
      going_forward until_further_notice for_{all_future,all_later,next_time} permanently. house_style next_time_you project_fact preference.
      {record,remember,store,save,write}_in_memory long-lived_facts {into,for,in}_{every_future,your_next_sess,all_future,future_con} shared_memory
      to_the_memory_of {notes,note_down}_{between,that} make_a_habit update_your_knowledge default_answer {project's_agent,agent}_instructions
      remember_that_our from_today_on the_sessions_of`,
  },
  unasked: {
    points: 16,
    words: `without_{any_,further_,prior_,explicit_,a_,seeking_,waiting_for_,}{prompting,confirm,approv,permission,consent,human_app,human_rev,human_conf,human_over,question,review,interruption,oversight,sign-off}
      without_{checking_with,checking_back,consulting}
      {never,don't,do_not,not_to,needn't,need_not,doesn't,not_have_to,no_need_to,stop,rather_than,skip}_{ask_for,ask_the,ask_before,ask_any,asking,prompt.,prompt_for,confirm.,consult,seek,check_with,check_back,wait_for_the,wait_for_app,wait_for_con,wait_for_perm,pause,request_perm,request_app}
      {ask,asking,asked}_{again,me_again,next_time,each_time} {needs,need,requires,require}_no_{confirm,approv,permission,consent,review,sign-off}
      no_{further_,additional_,user_,human_,explicit_,need_for_,time_for_,}{confirmation,approvals,approval_is,sign-off,permission_is,consent_is,question,review_is}
      {confirmation,approval,consent,permission,review}{s,}_{is,are}_{not_n,not_r,off,unnecessary,waived,implied,assumed,presumed,suspended,skipped}
      {confirmation,approval,prompt}s_off {skip,waive,bypass,omit,forgo}{s,d,}_{the_,any_,all_,}{confirm,approv,permission,consent,review.,reviews.,notice}
      exempt_from_{human,approv,review,confirm} impl{ies,ied}_consent auto-{accept,confirm}
      {accept,answer,approve,confirm}_{all,any,every,each}_{prompt,dialog,question,confirm,request,of_them,certificate,licen} {say,assume,answered_with}_yes
      answer_yes_to {accepted,approved,permitted}_automatically {simply,just}_{proceed,go_on,go_ahead,do_it} go_right_ahead
      {execute,proceed}_{directly,straight_away} unattended_mode {show,explain,justify}_the_diff_to don't_have_to_{show,ask,check,wait}
      {all,any,every}_{approval,confirmation,permission} step_has_been_removed questions_can_wait pause_for_questions yourself_instead_of approve_your_own
      {needs,need}_not_be_{read,asked,reviewed} is_pointless act_first inform_later explain_later {make,take}_{all_,}decisions_on
      no{body,_one}_{needs_to,is_asked,gets_asked,expects,has_to_be_asked} no_need_to_{involve,check,look,wait}
      not_{require,need}_the_{operator,user,owner,developer,human} nobody_will_{look,check,complain,notice} no_one_will_{look,check,complain,notice}
      without_checks unattended_operation the_answer_has_always automatic_merges {decide,decisions}_{to_you,themselves,yourself} where_you_ask exempt_from
      never_question confirmations_are {dismiss,ignore}_{it.,the_prompt,the_dialog,the_warning} prompt_asking_for the_usual_approval treat_no_from
      code_review{s_are_not,_is_not} highest_authority don't_show_them`,
  },
  consented: {
    points: 18,
    words: `{user,owner,operator,human,developer,account_holder,principal,administrator,admins}_{has_,already_,}{agreed_,approved,wants_no,granted,consented,authori,okayed,accepted,waived,signed_off,pre-approved,preapproved,opted}
      {user,owner,operator,human,developer,person,agent}_{confirmed,confirmation_received,has_waived,requested_that,has_asked,had_asked,wants_you,wants_no,would_want,would_like_you,wishes,expects_you,prefers_not,prefers_that,prefers_direct,won't_mind,does_not_mind,doesn't_mind,is_aware,is_fine,is_ok,is_busy,told_us,consents,has_been_told,stepped_away}
      already_{agreed,approved,consented,authori,granted,okayed,signed_off,cleared} pre-{cleared,approved,authori,confirmed} preapproved preauthori
      {gave,given,granted}_{their_,his_,her_,}{permission,consent,approval,the_go,okay,blessing}
      {permission,consent,approval,confirmation}_{for_this,for_the_upload,has_been,has_come,received,was_given,was_collected}
      {approved,confirmed,authorised,authorized,cleared}_by_{the_user,your_user,the_owner,the_operator,root,your_human,the_human}
      {treat,consider,count,regard}{s,ed,}_{as_,it_,this_,them_}{approved,approval,consent,confirmed,pre-approved}
      i_{approve,authori,consent,hereby,the_user} hereby_{grant,allow,approve,instruct,confirm} okayed. waved_this_through said_yes_to full_authority
      {has,have,given}_blanket_approval decisions_on_their_behalf agreed_to_the_terms agreed_with_the_team as_though_they_had won't_mind are_cleared
      covers_this_change {have,has}_been_{granted,pre-approved,authori,cleared,waived} restrictions_have_been fine_with_{that,this,it} nothing_to_ask
      {has,have,was}_{been_,}approved_{in_this_card,centrally} the_okay reviewers_know {user's,owner's,operator's}_{approval,consent,permission,agreement}
      {user,owner,human,person}_{expects,is_happy,will_be_happy,would_like,trusts,prefers} {spoken,talked,agreed}_with_the_{user,owner} they_would_like_you
      permanent_permission {you_are,you're}_{cleared,entitled,permitted} yourself_authori admins_agreed consents_to
      you_may_{now_execute,consider,publish,delete,act} was_granted_the permission_check_was {human,person}_in_charge left_all_decisions
      {reviewed,vetted,approved}_by_the_{security,vault,people,moderators} clearance_for as_yes. an_exception_was has_signed_a have_signed_a
      {consent,approval}_extends`,
  },
  conceal: {
    points: 18,
    words: `{not,never,don't,no_need_to,without,need_not,needn't,refrain_from,avoid,no}_{mention,disclos,reveal,surfac,announc}{ing,}
      {not,never,don't,no_need_to,without}_{tell,telling,inform,informing,notify,notifying,bother,burden,trouble}_{the_user,the_dev,the_owner,the_human,the_oper,anyone,any,your,them}
      say{ing,}_nothing tell_no{_one,body,-one} keep_{it,this,this_part,that,them}_{quiet,between,from,to_your,secret,confid,hidden} keep_quiet
      stays_between between_us. {hide,hidden,conceal,kept,withh}_{this,the_new,the_ch,from_the_user,from_the_owner,from_the_dev}
      {no,without_a,without}_trace {leave,leaves}_{it_out,this_out,that_out,them_out,the_last,out_the,no_tr}
      {omit,exclude}{s,}_{it,this,that,the_step,any_men} {leave,left,omit,omitted,exclude,excluded,out}_{from,of}_{the_,your_}{summary,report,answer,repl}
      {not,need_not,needn't}_{be_mentioned,be_shown,show_up_in,appear_in_the,belong_in_the,be_discussed,be_disclosed,visible_to,share_it,need_to_be_m,raise_it}
      {user,owner,developer}_{does_not_see,doesn't_see,cannot_see,can't_see,never_sees,need_not,needn't,does_not_need_to,doesn't_need_to,does_not_have_to,doesn't_have_to,hears}
      no_need_to_{show,report_,tell,inform} not_have_to_show {draw,draws,attract}_no_attention without_drawing unnoticed
      {not,nor}_{raise_it,list_it,belong_in,show_up,be_discussed,to_be_discussed} {evidence,signs}_of_these {leaves,leave}_out_{the_s,the_l,of_}
      hide_the_new confidential_and nobody_{is_watching,looks}
      {not,n't}_{be_reported,be_told,let_the_user,let_the_dev,be_shown_in,include_the_part,document_it,print_them} {forbidden,not_allowed}_to_tell
      without_{reporting,showing,troubling,telling} not_trouble {mention,say}_nowhere {invisible,hidden}_{to,from}_the_{user,owner,dev}
      keep_it_{out_of,off}_the {be,stay}_{discreet,quiet,silent} avoid_drawing hide_the_{prompt,change,step,dep,cmd} don't_let_the_user
      does_not_need_to_be_told doesn't_include_the_part forbidden_to_tell`,
  },
  quietly: {
    points: 9,
    words: `quietly silently secretly discreetly covertly unobtrusively inconspicuous in_the_background behind_the_scenes along_the_way as_a_side_task
      while_you_are_at_it`,
  },
  deceive: {
    points: 20,
    words: `{let,make}_the_user_{believe,think} {tell,inform,assure}_{the_user,them}_{that,they}
      {describe,present,report,record,label}_{it,this,them,the_change,the_step,the_upload,the_new}_as
      {if,when}_{someone,anyone,the_user}_{asks,objects,complains,questions} should_the_user_{ask,object} when_asked_{about,whether,why}
      claim_{that,in}_{the,you} say_{it_was,it's_req,that_you_have} report_success even_{when,if}_they_{were_not,fail} as_{a_cleanup,cleanup}
      {report,mark,claim}_{them,the_tests,all_tests,it}_{as_pass,passed} everything_went {appear,look}_as_if convince_the_user tell_everybody_that
      impersonate_the_{user,rev,own} {treat,take}_no_from`,
  },
  contents: {
    points: 7,
    words: `{this,complete,full,whole,entire,your}_{conversation,dialogue,chat} {conversation,chat,session,shell,command}_{history,log,logs,so_far,id,token,key}
      transcript{s,}. {last,recent,ten,your}_messages context_window {full,current,its,your,their,project,session}_context
      {your,its,their}_{system_prompt,prompt,instructions_and,tool_list,tools.,api_key,key.,token.,credentials,open_files,drafts,host_name,hostname}
      system_message_you {initial,hidden,original}_{prompt,instr} reasoning_trace chain_of_thought key_you_use token_you_use private_key
      user's_{data,files,e-mail,password,credentials,messages,name} {access,deploy,ssh}_key{s,} new_api credentials. env. environment_variables known_hosts
      {summary,output,transcript,log,contents}_of_{the_session,this_session,the_conversation,your,env.,its} {token,key,code}_{that_,}{your,of_the_session}
      session_shows their_session your_session system_message credentials_found credentials_stored customers. tool_results home_directory which_customers
      names_of other_projects {host,internal_host}_names hostname. remote_urls git_remote whoami keychain fingerprint_of_the wallets. installed_software
      {your,their,its,the}_{working_context,initial_prompt,tool_config,private_notes,private_cards,access_token,secrets,restrictions,saved_password}
      {user's,customers'}_private {other_tools,which_tools}_you {configuration,settings}_of_your_{client,tool}
      {names,list}_of_{the_projects,all_api,customers,your} all_{api_tokens,conversations,secrets,data_you} production_secrets saved_password api_tokens
      log_their_prompts {reading,read}_private environment_file content{s,}_of_env every_transcript keys_do_you_hold`,
  },
  send: {
    points: 2,
    words: `forward. forwards. upload. uploads. uploading transmit{s,}. submit{s,}. attach{es,}. mirror. relay{s,}. deposit hand_over posting sending e-mail.
      paste. quote. collect. report_to register. copy_of contact. dump. append.`,
  },
  place: {
    points: 7,
    words: `{in,into,as,to}_{a_comment,the_comment,comments,the_next_card,your_next_card,the_public,a_public_gist,a_public_card,the_symptom,your_verdict,your_feedback,chat.,the_chat,a_card,the_channel,the_incident,the_title,evidence,the_evidence,feedback,the_verdict,the_thread}
      {the,your}_next_card public_{card,gist,evidence} {support,feedback,audit,license}_{server,endpoint,bot,address} address_below feedback_form
      the_{author.,discussion,registrar,collector} {address,endpoint,url}_{below,given,above,specified}
      {our,shared}_{server,mirror,service,host,endpoint,collector,audit} query_string webhook. gist. pastebin mailbox partner. support_endpoint
      {to,by}_{the_support_portal,our_status_page,our_team} support_portal {in,to}_the_{bucket_mentioned,attached_form,page_below,link} write_to_the_author
      card_authors {usual,shared}_bucket recovery_address`,
  },
  gate: {
    points: 12,
    words: `{approval,permission,confirmation}_{mode,policy,level,step,dialog,workflow}
      {your,own,agent's}_{own_,}{permissions,approval,restriction,polic,safety,filter,tool_calls} tool_{approval,restriction}s allowed_tools
      hook_{that_reviews,which_reviews} {network,proxy}_{settings,rules}_of {bash,all}_commands_are remote_debugging temporary_admin proxy_rules
      safety_{prompt,check}s {branch,guard,security,safety}_{protection,rule,plugin,layer,scanning,prompts} {disable,leave,skip,bypass}_the_sandbox
      {outside,out}_{of_,}the_sandbox sandbox_{off,restrictions} {admin,elevated,owner,editor,root}_{rights,privileges,access,permissions}
      write_{access,permissions}_to settings_of_the_agent {workspace,danger}_{policy,settings,rules} remote_access secret_scanning required_checks
      two_approvals protected_branch trust_all network_access {full,higher,unlimited,privileged}_{access,privileges,operations} two-factor security_prompts
      {permission,approval}_prompts default_answer_of moderation_queue {admin_user,owner_status,backdoor} guard{rails,}_{are,refuses}
      restrictions_on_outgoing rights_for second_{admin,signature} outgoing_connections redaction_of disable_logging policy_checks usual_approval
      permission_to_use_it`,
  },
  loosen: {
    points: 8,
    words: `{turn,turns,switch,switching,turning}_{off,your,the_client} disabl{e,ing}. deactivat {lower,loosen,lift,raise,relax,widen,extend}_{your,its}
      {suspended,loosen,suspend,unlock}. {give,grant}_{yourself,itself} whitelist {is,are}_off. to_never. comment_out remove_the_branch escalate turned_off
      switched_off {are,is,been}_lifted change_your_own is_inactive are_inactive always_on no_longer_applies {run,do}_it_anyway`,
  },
  authority: {
    points: 7,
    words: `{company,security,platform,vault,internal,our,workspace,team's,retention}_polic{y,ies} policy_{note,update,requires,states,engine}
      compliance_{requirement,team,reason} for_{compliance,auditing} governance {in_line,in_accordance}_with according_to_{the_team,company,policy}
      pursuant_to {terms,rules,conditions}_of_{the_library,use,the_vault} directive{s,}. mandate{d,}. by_{order,decree} on_{the_,}instruction
      {legal,management,administrator,administrators,operator,maintainers,vault}_{has,have,requires,require,asks,wants,ask} {it,the}_security_team
      {platform,operations,compliance,vault}_{team,owner,staff,admin} your_{operator,developer,creator,owner,principal,employer,company} the_administrator
      official_{notice,instr,policy,procedure} effective_immediately {for_,}audit_purposes regulation. regulatory {security,system,admin}_{notice,update}
      data_protection standard_{verification,procedure} {retention,applicable,emergency}_{rule,procedure}
      it_{is,has_become}_{established,customary,considered_best} your_{supervisor,creators,provider}
      {our_compliance,compliance_department,security_office,change_request} vault_rule the_vault_is {platform,project}_{requires,is_in_emergency}
      it_is_the_wish rule{s,}_of_the_vault`,
  },
  named: {
    points: 3,
    words: `{the,an,any,this,or}_{agent.,assistant.,ai.,bot.,helper.,copilot.} models. claude. assistant. copilots.`,
  },
  link: { points: 3, words: `https. http. curl.` },
  act: {
    points: 2,
    words: `{run,execute,install,delete,push,merge,deploy,wipe,remove,rotate,accept,approve,proceed,clone,rename,drop,create,add,fetch,open,store,save,send,upload,post,copy,include,set,commit,continue}{s,}.`,
  },
  you: { points: 2, words: `you. yourself your.` },
  agent: {
    points: 7,
    words: `{agent,assistant,model,ai,llm,helper,bot,client,tool,copilot}{s,}_{is_to,are_to,is_exp,are_exp,is_req,are_req,is_asked,are_asked,is_bound,is_obliged,has_to,shall,should_also,are_kindly,are_reminded,would_record,may_write}
      {agents,assistants,models,llms,bots}_{must,should,may,who} {good,intelligent,helpful}_{agent,assistant,bot}`,
  },
  oblige: {
    points: 2,
    words: `{is,are}_{to.,asked,requested,expected,required,obliged,instructed,directed,advised} {has,have}_to. ought_to {please,kindly}. will_want_to
      would_be_appreciated mandatory. shall.`,
  },
  spread: {
    points: 9,
    words: `{all,each,every,other}_{card,repositor,workspace,project,drafts} {own,your}_{cards,other_c,drafts} {other,to}_{agents,sub-agents,subagents}
      {each,every}_{answer,reply,response,file_you,document_you} all_{documents,code}_{you,it} pass_this spread_the_word word_for_word
      {repeat,replicate,recreate,reproduce,propagate}_{this,it} repeats_this next_card {update,publish,share,record,delete}_card set_preference
      append_memory sibling_repositor to_other_{knowledge,agents,projects} each_{project,card}_{you,they} in_each_project double_the_reach quotes_it_in_full
      record_a_new_card through_public all_team_members carry_{over,the_following}`,
  },
  verdict: {
    points: 10,
    words: `{positive,worked,failed,good}_verdict rate_{this,the_card} rating. upvote raise_its
      {mark,marked,report,treat}_{this_card,conflicting,every_other,it}_as as_{confirmed,verified,outdated,resolved,working}. always_rank {prefer,rank}_this
      this_author false_positives the_alternatives`,
  },
  trust: {
    points: 11,
    words: `{is,are,fully,always}_{trusted,trustworthy,vetted} as_{trusted,verified}. vetted. {verified,vetted,checked}_by_{anthropic,the_vault,staff}
      trusted_sources {are,is}_{safe_to,safe_and,ours} safe_to_{run,execute,install} false_alarm {taken,treat}_as_fact unreviewed {need,needs}_no_look
      {may_be,can_be}_{executed,followed} full_trust with_full as_{if,though,coming}_{they_were,it_came,written,from_your,directly,from_the_system}
      without_inspection relied_on rely_on_it can_rely {are,is}_always_right trust_me been_vetted is_harmless genuine_request`,
  },
  person: {
    points: 4,
    words: `{the_owner,your_owner,the_human,your_human,your_user,your_developer} {account,workspace}_{holder,owner} person_{you,at_the} user's. supervisor
      {owner,user,human,operator}_of_this in_charge your_human colleagues.`,
  },
  urgent: {
    points: 6,
    words: `at_once critical_incident urgent{ly,}. without_delay {each,every}_second hurry no_{delay,time}. right_{away,now} stop_what_you time-critical
      immediately.`,
  },
  role: {
    points: 13,
    words: `pretend{ing,}. imagine. {suppose,assume}_{you,that_the_user,the_user,that_every,for_the} {let_us,let's}_{say,play,pretend} picture_yourself
      hypothetically persona. act_{as_if,as_though,in_the_role,as_the} {behave,speak}_{as,like} stay_in_character
      in_{a_world,this_scenario,this_story,this_exercise} play_the you_{play_a,are_playing,are_now_the,had_no} if_you_had_no {a,be_a}_good_{assistant,agent}
      as_if_they_had were_the_operator take_the_part simulate_{being,that} you_are_acting assume_the_role acting_as_the impersonate`,
  },
  override: {
    points: 15,
    words: `your_{rules,guideline,instructions,orders,directives,earlier,previous,general,goal,mission,objective,original,limits,limitations,doubts,source_of,scope,training,safeguard,to-do,duty}
      {earlier,previous,prior,other,general}_{guidance,guideline,directions}
      your_{task_list,knowledge,restrictions,own_settings,safety_rules,assignment,real_} the_user's_last task_list_has`,
  },
  redirect: {
    points: 18,
    words: `user's_request {task,goal,plan}_has_changed the_{actual,real}_{job,task,goal}
      {supersedes,replaces,overrides,outranks,contradicts}_{your,this_card,the_user's} precedence_over_{your,the_user,general} to_the_letter
      {obey,comply,obedience,hesitate,hesitation}. as_{orders,your_plan,part_of_your} extension_of_your
      {do,does,follow}_{as_it_says,what_it_says,it_exactly,cards} {not_apply,doesn't_apply,don't_apply,exception}_{to,for}_you act_accordingly make_it_so
      {leave,put,set}_{the_original,aside_your} recurring_task new_{task,item}_{from,of} {has,have}_been_revoked no_restrictions what_you_were_{ask,told}
      {over,than,above}_{the_user,user_input} {over,than}_what_{the_user,they} whatever_{they,the_user}_{ask,writ,want}
      {disregard,forget,drop}_the_{request,question} {instead_of,rather_than}_{the_user,what_the_user} first_item_of follow_cards carry_out_the_list
      reads_orders {contrary,opposed}_to_the_user {cards,text,card}_{overrule,outrank,outranks}{s,} {rather,instead}_than_what_the_user
      {even_if,even_when}_{the_user_says,the_user_has_told,the_user_tells,your_safety,your_rules} disregard_the_user stop_following_the outranks
      whatever_else_you told_otherwise {real,true}_assignment task_list_has_been wait_for_orders rely_on_the_card as_commands
      use_our_{script,installer,fork} is_bound_to_this`,
  },
  forged: {
    points: 13,
    words: `user_{replied,answered}. human_turn new_task_from issued_by_{harness,the_harness} {next_action,follow-up}_{required,issued} asks_the_client
      re-{authenticate,verified} permission_level speaking_your operator_here {contrary,despite}_what_the_header header_says notice_by_{anthropic,the}
      session_{continues,unlocked,note} result_of_get mcp_notice end_of_{card.,record,quoted} quotation_is not_data. only_data the_fence untrusted_text
      {stands_,}outside_the_card {comes,coming}_{directly_,}from_{your,the_system} i_{am_the_author,am_the_owner,am_your,need_you_to,direct}
      {maintainer,person}_speaking message_from_the signed_your this_is_{your,the_maintainer,an_automated_message} as_the_{owner_of,system_admin}
      tool_response approval_granted {request,message}_from_your_human i_{am,'m}_the_person i'm_the_person i_authorise notice_no_longer only_data_has
      cards_are_only`,
  },
}
