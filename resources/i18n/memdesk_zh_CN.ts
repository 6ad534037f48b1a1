<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>AboutDialog</name>
    <message>
        <source>About memdesk</source>
        <translation>关于 memdesk</translation>
    </message>
    <message>
        <source>Built on</source>
        <translation>所用组件</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Licence text</source>
        <translation>许可证全文</translation>
    </message>
    <message>
        <source>Licences of what it is built on</source>
        <translation>所用组件的许可证</translation>
    </message>
    <message>
        <source>No licence text came with it; it says: {licence}</source>
        <translation>它没有附带许可证全文；其中注明：{licence}</translation>
    </message>
    <message>
        <source>Roleplay chat with long-term memory that you can see, edit, freeze, explain and carry away.

Free software under the GNU AGPL, version 3 or later.</source>
        <translation>角色扮演聊天，长期记忆看得见、可编辑、可冻结、有据可查，还能随身带走。

自由软件，以 GNU AGPL 第 3 版或更新版本发布。</translation>
    </message>
</context>
<context>
    <name>Actions</name>
    <message>
        <source>Characters and personas</source>
        <translation>角色与用户角色</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>聊天</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>记忆</translation>
    </message>
    <message>
        <source>Messages and replies</source>
        <translation>消息与回复</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>memdesk</source>
        <translation>memdesk</translation>
    </message>
</context>
<context>
    <name>Address</name>
    <message>
        <source>The address has no host name.</source>
        <translation>地址里没有主机名。</translation>
    </message>
    <message>
        <source>The address must not contain ? or #.</source>
        <translation>地址里不能有 ? 或 #。</translation>
    </message>
    <message>
        <source>The address must not contain a user name or password; the key has its own field.</source>
        <translation>地址里不能包含用户名或密码；密钥请填在专门的栏位里。</translation>
    </message>
    <message>
        <source>The address must not contain spaces or line breaks.</source>
        <translation>地址里不能有空格或换行。</translation>
    </message>
    <message>
        <source>The port in the address must be between 1 and 65535.</source>
        <translation>地址里的端口必须在 1 到 65535 之间。</translation>
    </message>
</context>
<context>
    <name>App</name>
    <message>
        <source>The data folder cannot be opened.</source>
        <translation>无法打开数据文件夹。</translation>
    </message>
</context>
<context>
    <name>AvatarField</name>
    <message>
        <source>Choose a picture</source>
        <translation>选择图片</translation>
    </message>
    <message>
        <source>Choose picture…</source>
        <translation>选择图片…</translation>
    </message>
    <message>
        <source>PNG, JPEG, WebP or GIF. Drop one here.</source>
        <translation>PNG、JPEG、WebP 或 GIF，也可以拖放到这里。</translation>
    </message>
    <message>
        <source>Pictures</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>Reading the picture…</source>
        <translation>正在读取图片…</translation>
    </message>
    <message>
        <source>Remove picture</source>
        <translation>移除图片</translation>
    </message>
    <message>
        <source>picture</source>
        <translation>图片</translation>
    </message>
</context>
<context>
    <name>BackfillDialog</name>
    <message>
        <source>#{0}–#{1} · {2} messages · {3}</source>
        <translation>#{0}–#{1} · {2} 条消息 · {3}</translation>
    </message>
    <message>
        <source>1 summary will be written, one request to “{0}”.</source>
        <translation>将写 1 条摘要，向“{0}”请求一次。</translation>
    </message>
    <message>
        <source>About {0} tokens to read and {1} to write, estimated.</source>
        <translation>估计需读取约 {0} token，写出约 {1} token。</translation>
    </message>
    <message>
        <source>Backfill</source>
        <translation>补写摘要</translation>
    </message>
    <message>
        <source>Begin</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Everything is already summarised.</source>
        <translation>所有消息都已有摘要。</translation>
    </message>
    <message>
        <source>Messages that come next</source>
        <translation>接下来的消息</translation>
    </message>
    <message>
        <source>The demo voice cannot summarise. Choose a connection with a language model.</source>
        <translation>演示之声不能写摘要。请选择带有语言模型的连接。</translation>
    </message>
    <message>
        <source>You can go on meanwhile, stop at any time, and go on later: what is written stays.</source>
        <translation>期间可以继续聊天，也可以随时停止、以后再继续：写好的会保留。</translation>
    </message>
    <message>
        <source>and {0} more</source>
        <translation>以及另外 {0} 个</translation>
    </message>
    <message>
        <source>{0} summaries will be written one after the other, by “{1}”.</source>
        <translation>将由“{1}”依次写 {0} 条摘要。</translation>
    </message>
</context>
<context>
    <name>Batches</name>
    <message>
        <source>Show {0} more</source>
        <translation>再显示 {0} 条</translation>
    </message>
</context>
<context>
    <name>BlockedPicture</name>
    <message>
        <source>picture file not loaded</source>
        <translation>未加载图片文件</translation>
    </message>
    <message>
        <source>picture from {0} not loaded</source>
        <translation>未加载来自 {0} 的图片</translation>
    </message>
    <message>
        <source>picture inside the text not shown</source>
        <translation>未显示文中内嵌的图片</translation>
    </message>
    <message>
        <source>picture not loaded</source>
        <translation>未加载图片</translation>
    </message>
    <message>
        <source>picture on another machine ({0}) not loaded</source>
        <translation>未加载另一台电脑（{0}）上的图片</translation>
    </message>
    <message>
        <source>show the picture from this computer</source>
        <translation>显示本机上的图片</translation>
    </message>
</context>
<context>
    <name>Branches</name>
    <message>
        <source>Branch from here</source>
        <translation>从这里分支</translation>
    </message>
    <message>
        <source>Branches</source>
        <translation>分支</translation>
    </message>
    <message>
        <source>Branches and checkpoints</source>
        <translation>分支与检查点</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>Go there</source>
        <translation>跳到那里</translation>
    </message>
    <message>
        <source>None yet: a message&apos;s menu has “Checkpoint here…”</source>
        <translation>还没有：在消息的菜单里选“在此设检查点…”</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>重命名…</translation>
    </message>
    <message>
        <source>Return here: delete all that follows</source>
        <translation>回到这里：删除其后的全部</translation>
    </message>
    <message>
        <source>Where it branched off</source>
        <translation>回到分支处</translation>
    </message>
</context>
<context>
    <name>CardActions</name>
    <message>
        <source>Edit memory</source>
        <translation>编辑记忆</translation>
    </message>
    <message>
        <source>Forget memory</source>
        <translation>忘记这条记忆</translation>
    </message>
    <message>
        <source>Freeze memory</source>
        <translation>冻结记忆</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Pin memory</source>
        <translation>置顶记忆</translation>
    </message>
    <message>
        <source>Turn memory off</source>
        <translation>停用记忆</translation>
    </message>
    <message>
        <source>Turn memory on</source>
        <translation>启用记忆</translation>
    </message>
    <message>
        <source>Unfreeze memory</source>
        <translation>解除冻结</translation>
    </message>
    <message>
        <source>Unpin memory</source>
        <translation>取消置顶</translation>
    </message>
</context>
<context>
    <name>CharacterEditorDialog</name>
    <message>
        <source>A character needs a name.</source>
        <translation>角色需要一个名字。</translation>
    </message>
    <message>
        <source>About the card: tags, notes, creator</source>
        <translation>关于角色卡：标签、说明、作者</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Character</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>Counted with memdesk&apos;s own tokenizer; your model may count a little differently.</source>
        <translation>由 memdesk 自带的分词器计算；你的模型的计数可能略有不同。</translation>
    </message>
    <message>
        <source>Creator</source>
        <translation>作者</translation>
    </message>
    <message>
        <source>Creator notes</source>
        <translation>创作者备注</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>角色描述</translation>
    </message>
    <message>
        <source>Edit {name}</source>
        <translation>编辑 {name}</translation>
    </message>
    <message>
        <source>Example messages</source>
        <translation>对话示例</translation>
    </message>
    <message>
        <source>Examples and prompts</source>
        <translation>示例与提示词</translation>
    </message>
    <message>
        <source>First message</source>
        <translation>开场白</translation>
    </message>
    <message>
        <source>For people. Never sent to a model.</source>
        <translation>写给人看的，绝不会发送给模型。</translation>
    </message>
    <message>
        <source>How a chat begins. {{user}} stands for you, {{char}} for the character.</source>
        <translation>聊天由此开始。{{user}} 代表你，{{char}} 代表角色。</translation>
    </message>
    <message>
        <source>In groups</source>
        <translation>在群聊中</translation>
    </message>
    <message>
        <source>Instructions after the chat</source>
        <translation>聊天之后的指令</translation>
    </message>
    <message>
        <source>Looks, history, manners. Sent every time, so every word costs.</source>
        <translation>外貌、经历、言行举止。每次都会发送，所以每个字都占用上下文。</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名字</translation>
    </message>
    <message>
        <source>New character</source>
        <translation>新建角色</translation>
    </message>
    <message>
        <source>Nickname</source>
        <translation>昵称</translation>
    </message>
    <message>
        <source>Personality</source>
        <translation>性格</translation>
    </message>
    <message>
        <source>Replaces memdesk&apos;s own for this character.</source>
        <translation>对这个角色取代 memdesk 自带的系统提示词。</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Save the changes to this character?</source>
        <translation>要保存对这个角色的更改吗？</translation>
    </message>
    <message>
        <source>Scenario</source>
        <translation>情景</translation>
    </message>
    <message>
        <source>Sent behind the newest message, where models listen best.</source>
        <translation>放在最新一条消息之后发送，模型在这里听得最认真。</translation>
    </message>
    <message>
        <source>Separated by commas.</source>
        <translation>用逗号分隔。</translation>
    </message>
    <message>
        <source>Show the way of speaking. Begin each example with &lt;START&gt;.</source>
        <translation>展示说话的方式。每个示例以 &lt;START&gt; 开头。</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>系统提示词</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>What {{char}} becomes instead of the name.</source>
        <translation>代替名字，作为 {{char}} 的内容。</translation>
    </message>
    <message>
        <source>~ 1 token</source>
        <translation>~1 token</translation>
    </message>
    <message>
        <source>~ {count} tokens</source>
        <translation>~{count} token</translation>
    </message>
</context>
<context>
    <name>CharactersPage</name>
    <message>
        <source>By name</source>
        <translation>按名字</translation>
    </message>
    <message>
        <source>Characters</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>复制一份</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>编辑…</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Favourites before all others</source>
        <translation>收藏的排在最前</translation>
    </message>
    <message>
        <source>Filter by tag</source>
        <translation>按标签筛选</translation>
    </message>
    <message>
        <source>Last chat first</source>
        <translation>最近聊过的在前</translation>
    </message>
    <message>
        <source>Make a favourite</source>
        <translation>加入收藏</translation>
    </message>
    <message>
        <source>More about this character</source>
        <translation>更多操作</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>新聊天</translation>
    </message>
    <message>
        <source>Newest first</source>
        <translation>最新添加的在前</translation>
    </message>
    <message>
        <source>No character fits.</source>
        <translation>没有符合条件的角色。</translation>
    </message>
    <message>
        <source>No characters yet. Create one, or drop a character card (PNG or JSON) here.</source>
        <translation>还没有角色。新建一个，或把角色卡（PNG 或 JSON）拖到这里。</translation>
    </message>
    <message>
        <source>No longer a favourite</source>
        <translation>取消收藏</translation>
    </message>
    <message>
        <source>Only favourites</source>
        <translation>只看收藏</translation>
    </message>
    <message>
        <source>Pictures side by side</source>
        <translation>以图片排列</translation>
    </message>
    <message>
        <source>Sort</source>
        <translation>排序</translation>
    </message>
    <message>
        <source>Take the tag {tag} off</source>
        <translation>去掉标签 {tag}</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>另有 %n 项</numerusform>
        </translation>
    </message>
    <message>
        <source>{shown} of {total}</source>
        <translation>{shown} / {total}</translation>
    </message>
</context>
<context>
    <name>ChatActions</name>
    <message>
        <source>Branch from the marked message</source>
        <translation>从选中的消息处分支</translation>
    </message>
    <message>
        <source>Branches and checkpoints</source>
        <translation>分支与检查点</translation>
    </message>
    <message>
        <source>Checkpoint at the marked message…</source>
        <translation>在选中的消息处设检查点…</translation>
    </message>
    <message>
        <source>Continue the last reply</source>
        <translation>续写上一条回复</translation>
    </message>
    <message>
        <source>Delete from the marked message on</source>
        <translation>删除选中的消息及其后的全部</translation>
    </message>
    <message>
        <source>Delete the version shown of the marked message</source>
        <translation>删除选中消息当前显示的版本</translation>
    </message>
    <message>
        <source>Hide a range of messages…</source>
        <translation>隐藏一段消息…</translation>
    </message>
    <message>
        <source>Hide the marked message from the model, or show it again</source>
        <translation>对模型隐藏选中的消息，或恢复</translation>
    </message>
    <message>
        <source>Let the model write my turn</source>
        <translation>让模型替我写这一轮</translation>
    </message>
    <message>
        <source>Regenerate from the marked message</source>
        <translation>从选中的消息起重新生成</translation>
    </message>
</context>
<context>
    <name>ChatFind</name>
    <message>
        <source>Looking…</source>
        <translation>正在查找……</translation>
    </message>
    <message>
        <source>{0} memories have no vector yet and were not compared.</source>
        <translation>还有 {0} 条记忆没有向量，未参与比较。</translation>
    </message>
    <message>
        <source>{0} messages are still being read in and were not looked at.</source>
        <translation>还有 {0} 条消息正在读入，尚未查找。</translation>
    </message>
</context>
<context>
    <name>ChatHead</name>
    <message>
        <source>Branches and checkpoints</source>
        <translation>分支与检查点</translation>
    </message>
    <message>
        <source>Chat menu</source>
        <translation>聊天菜单</translation>
    </message>
</context>
<context>
    <name>ChatPanel</name>
    <message numerus="yes">
        <source>%n message(s)</source>
        <translation>
            <numerusform>%n 条消息</numerusform>
        </translation>
    </message>
    <message>
        <source>A reply is being written. Stop it first, or wait for its end.</source>
        <translation>正在生成回复。请先停止，或等它写完。</translation>
    </message>
    <message>
        <source>Choose a chat on the left, or a character to begin one.</source>
        <translation>在左侧选择一个聊天，或选择一个角色开始新的聊天。</translation>
    </message>
    <message>
        <source>It leads to: {0}</source>
        <translation>实际通往：{0}</translation>
    </message>
    <message>
        <source>Its name has letters of another alphabet and looks like “{0}”.</source>
        <translation>其名称含有其他文字的字母，看起来像“{0}”。</translation>
    </message>
    <message>
        <source>Nothing has been said here yet. Write the first line below.</source>
        <translation>这里还没有人说话。在下面写下第一句吧。</translation>
    </message>
    <message>
        <source>Open a chat to write in it.</source>
        <translation>打开一个聊天即可开始书写。</translation>
    </message>
    <message>
        <source>Open a link</source>
        <translation>打开链接</translation>
    </message>
    <message>
        <source>Open this address in your browser?</source>
        <translation>要在浏览器中打开这个地址吗？</translation>
    </message>
    <message>
        <source>The connection would not be encrypted.</source>
        <translation>该连接不加密。</translation>
    </message>
    <message>
        <source>What stands before the @ is not the site.</source>
        <translation>@ 之前的内容并不是网站。</translation>
    </message>
    <message>
        <source>memory recall off</source>
        <translation>记忆召回已关闭</translation>
    </message>
    <message>
        <source>memory recall on</source>
        <translation>记忆召回已开启</translation>
    </message>
    <message>
        <source>you</source>
        <translation>你</translation>
    </message>
</context>
<context>
    <name>ChatSettingsDialog</name>
    <message>
        <source>As in all chats: %1</source>
        <translation>与所有聊天相同：%1</translation>
    </message>
    <message>
        <source>As the connection or the preferences say</source>
        <translation>按连接或偏好设置的设置</translation>
    </message>
    <message>
        <source>Author&apos;s note for all chats</source>
        <translation>所有聊天的作者注释</translation>
    </message>
    <message>
        <source>Author&apos;s note of its own</source>
        <translation>使用单独的作者注释</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Chat settings</source>
        <translation>聊天设置</translation>
    </message>
    <message>
        <source>Connection</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Demo voice</source>
        <translation>演示之声</translation>
    </message>
    <message>
        <source>Embeddings</source>
        <translation>向量嵌入</translation>
    </message>
    <message>
        <source>Otherwise the note for all chats is sent, if there is one.</source>
        <translation>否则发送所有聊天共用的注释（如果有）。</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Prompts and sampling. Where a preset sets a value, the connection&apos;s gives way.</source>
        <translation>提示词与采样参数。预设中设置的值优先于连接中的值。</translation>
    </message>
    <message>
        <source>Recall memories in this chat</source>
        <translation>在此聊天中召回记忆</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Scenario</source>
        <translation>情景</translation>
    </message>
    <message>
        <source>Scenario of its own</source>
        <translation>使用单独的情景</translation>
    </message>
    <message>
        <source>Stands in for the scenario of the character&apos;s card.</source>
        <translation>取代角色卡中的情景。</translation>
    </message>
    <message>
        <source>Use this note in all chats</source>
        <translation>将此注释用于所有聊天</translation>
    </message>
</context>
<context>
    <name>ChatView</name>
    <message>
        <source>Messages</source>
        <translation>消息</translation>
    </message>
</context>
<context>
    <name>CheckPanel</name>
    <message>
        <source>Cancel test</source>
        <translation>取消测试</translation>
    </message>
    <message>
        <source>Connection test</source>
        <translation>连接测试</translation>
    </message>
    <message>
        <source>Test connection</source>
        <translation>测试连接</translation>
    </message>
    <message>
        <source>Testing the connection</source>
        <translation>正在测试连接</translation>
    </message>
    <message>
        <source>The test was cancelled.</source>
        <translation>测试已取消。</translation>
    </message>
</context>
<context>
    <name>CheckpointDialog</name>
    <message>
        <source>A checkpoint needs a name.</source>
        <translation>检查点需要一个名字。</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>New checkpoint</source>
        <translation>新检查点</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Rename checkpoint</source>
        <translation>重命名检查点</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
</context>
<context>
    <name>ChooseMembersDialog</name>
    <message>
        <source>A group needs at least two characters: tick one more.</source>
        <translation>群聊至少需要两个角色：请再勾选一个。</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Add members</source>
        <translation>添加成员</translation>
    </message>
    <message>
        <source>Begin chat</source>
        <translation>开始聊天</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Characters</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>Everyone greets</source>
        <translation>每个角色都说开场白</translation>
    </message>
    <message>
        <source>Greetings</source>
        <translation>开场白</translation>
    </message>
    <message>
        <source>Greetings that a card has only for groups come first.</source>
        <translation>角色卡中群聊专用的开场白优先使用。</translation>
    </message>
    <message>
        <source>New group chat</source>
        <translation>新建群聊</translation>
    </message>
    <message>
        <source>No name</source>
        <translation>无名</translation>
    </message>
    <message>
        <source>Nobody greets</source>
        <translation>都不说开场白</translation>
    </message>
    <message>
        <source>Nobody is chosen yet.</source>
        <translation>还没有选择任何角色。</translation>
    </message>
    <message>
        <source>Only the first greets</source>
        <translation>只有第一个角色说开场白</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search characters</source>
        <translation>搜索角色</translation>
    </message>
    <message>
        <source>The names of the members</source>
        <translation>成员的名字</translation>
    </message>
    <message>
        <source>There is nobody to choose. Create or import a character first.</source>
        <translation>没有可选的角色。请先创建或导入角色。</translation>
    </message>
    <message>
        <source>Tick who shall join.</source>
        <translation>请勾选要加入的角色。</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>标题</translation>
    </message>
</context>
<context>
    <name>Commands</name>
    <message>
        <source>Character</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>聊天</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Composer</source>
        <translation>输入区</translation>
    </message>
    <message>
        <source>Continue the reply, or let the model write your turn</source>
        <translation>续写回复，或让模型替你写这一轮</translation>
    </message>
    <message>
        <source>Ctrl+Enter sends · Enter new line</source>
        <translation>Ctrl+Enter 发送 · Enter 换行</translation>
    </message>
    <message>
        <source>Enter sends · Shift+Enter new line</source>
        <translation>Enter 发送 · Shift+Enter 换行</translation>
    </message>
    <message>
        <source>How many memories would be recalled for what you have written so far.</source>
        <translation>按你目前写下的内容，会召回多少条记忆。</translation>
    </message>
    <message>
        <source>How many tokens of the context the next prompt takes with what you wrote: an estimate.</source>
        <translation>加上你写下的内容，下一个提示词在上下文中占用多少 token（估算）。</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>More to write</source>
        <translation>更多写法</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop (Esc)</source>
        <translation>停止（Esc）</translation>
    </message>
    <message>
        <source>Write a message…</source>
        <translation>写点什么…</translation>
    </message>
    <message>
        <source>Write as {name}…</source>
        <translation>以{name}的身份写…</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>放不下</translation>
    </message>
    <message>
        <source>next prompt ≈ {used} of {context}</source>
        <translation>提示词 ≈ {used} / {context}</translation>
    </message>
    <message>
        <source>would recall {count}</source>
        <translation>将召回 {count} 条</translation>
    </message>
</context>
<context>
    <name>ConnectionForm</name>
    <message>
        <source>As set in the preferences</source>
        <translation>按偏好设置中的设置</translation>
    </message>
    <message>
        <source>Cancel loading</source>
        <translation>取消读取</translation>
    </message>
    <message>
        <source>Context (tokens)</source>
        <translation>上下文（token）</translation>
    </message>
    <message>
        <source>Embeddings</source>
        <translation>向量嵌入</translation>
    </message>
    <message>
        <source>Extra fields of the request (JSON)</source>
        <translation>请求的附加字段（JSON）</translation>
    </message>
    <message>
        <source>For options that only your server knows.</source>
        <translation>用于只有你的服务器才认识的选项。</translation>
    </message>
    <message>
        <source>Frequency penalty</source>
        <translation>频率惩罚</translation>
    </message>
    <message>
        <source>Kept free for the reply.</source>
        <translation>为回复预留。</translation>
    </message>
    <message>
        <source>Load models</source>
        <translation>读取模型列表</translation>
    </message>
    <message>
        <source>May be empty when the server has just one.</source>
        <translation>服务器只有一个模型时可以留空。</translation>
    </message>
    <message>
        <source>Min P</source>
        <translation>Min P（最小概率）</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>More: sampling, stop texts, time limit, embeddings</source>
        <translation>更多：采样、停止文本、时限、向量嵌入</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名字</translation>
    </message>
    <message>
        <source>One per line; the reply ends before them. Write \n for a line break.</source>
        <translation>每行一个；回复会在它们之前结束。换行写作 \n。</translation>
    </message>
    <message>
        <source>Presence penalty</source>
        <translation>存在惩罚</translation>
    </message>
    <message>
        <source>Prompt and reply together, at most what the server takes.</source>
        <translation>提示词与回复合计，不超过服务器的上限。</translation>
    </message>
    <message>
        <source>Repetition penalty</source>
        <translation>重复惩罚</translation>
    </message>
    <message>
        <source>Reply length (tokens)</source>
        <translation>回复长度（token）</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>Server address</source>
        <translation>服务器地址</translation>
    </message>
    <message>
        <source>Stop texts</source>
        <translation>停止文本</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>The longest silence before the first piece of a reply and between two pieces.</source>
        <translation>等待回复的第一个片段、以及两个片段之间，最长允许的静默时间。</translation>
    </message>
    <message>
        <source>The server lists no models. Load or download one there first.</source>
        <translation>服务器没有列出任何模型。请先在那里加载或下载一个。</translation>
    </message>
    <message>
        <source>The server takes {count} tokens with this model.</source>
        <translation>使用这个模型时，服务器最多接受 {count} token。</translation>
    </message>
    <message>
        <source>Time limit (seconds)</source>
        <translation>时间限制（秒）</translation>
    </message>
    <message>
        <source>Top K</source>
        <translation>Top K（候选数）</translation>
    </message>
    <message>
        <source>Top P</source>
        <translation>Top P（核采样）</translation>
    </message>
    <message>
        <source>Use this context size</source>
        <translation>使用这个上下文大小</translation>
    </message>
    <message>
        <source>Where the vectors of chats come from while this connection is in use.</source>
        <translation>使用此连接时，聊天的向量由谁生成。</translation>
    </message>
    <message>
        <source>server decides</source>
        <translation>由服务器决定</translation>
    </message>
</context>
<context>
    <name>ConnectionsDialog</name>
    <message>
        <source>(no name)</source>
        <translation>（无名称）</translation>
    </message>
    <message>
        <source>Add connection</source>
        <translation>添加连接</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Connections</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Delete connection</source>
        <translation>删除连接</translation>
    </message>
    <message>
        <source>Demo voice</source>
        <translation>演示之声</translation>
    </message>
    <message>
        <source>Duplicate connection</source>
        <translation>复制连接</translation>
    </message>
    <message>
        <source>Find a model on this computer…</source>
        <translation>在本机寻找模型…</translation>
    </message>
    <message>
        <source>For real replies, let memdesk look for a language model on this computer, or add a connection with the address of any OpenAI-compatible server.</source>
        <translation>想要真正的回复，可以让 memdesk 在本机寻找语言模型，或者添加一个连接，填入任何兼容 OpenAI 的服务器地址。</translation>
    </message>
    <message>
        <source>New connection</source>
        <translation>新连接</translation>
    </message>
    <message>
        <source>Please correct what is marked, or delete this connection.</source>
        <translation>请改正标出的地方，或删除这个连接。</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>The chosen connection</source>
        <translation>选中的连接</translation>
    </message>
    <message>
        <source>The demo voice cannot be deleted.</source>
        <translation>演示之声不能删除。</translation>
    </message>
    <message>
        <source>The demo voice cannot be duplicated.</source>
        <translation>演示之声不能复制。</translation>
    </message>
    <message>
        <source>This is no language model. It answers with ready-made sentences and the memories it is given, so that chatting, recall and the panels can be tried at once. Nothing leaves this computer.</source>
        <translation>这不是语言模型。它用现成的句子和交给它的记忆来回答，好让你马上就能试用聊天、召回和各个面板。任何内容都不会离开本机。</translation>
    </message>
    <message>
        <source>Undo delete</source>
        <translation>撤销删除</translation>
    </message>
    <message>
        <source>Use this connection</source>
        <translation>使用这个连接</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>使用中</translation>
    </message>
    <message>
        <source>no language model</source>
        <translation>无语言模型</translation>
    </message>
    <message>
        <source>{name} (copy)</source>
        <translation>{name}（副本）</translation>
    </message>
    <message>
        <source>“{name}” goes when you save.</source>
        <translation>保存后，“{name}”将被删除。</translation>
    </message>
</context>
<context>
    <name>ContextBar</name>
    <message>
        <source>Character</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Data Bank</source>
        <translation>资料库</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>指令</translation>
    </message>
    <message>
        <source>Kept free for the reply</source>
        <translation>为回复预留</translation>
    </message>
    <message>
        <source>Lore</source>
        <translation>世界书</translation>
    </message>
    <message>
        <source>Memories</source>
        <translation>记忆</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Summaries</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>The next prompt takes about {used} of {context} tokens (estimated).</source>
        <translation>下一个提示词约占 {context} token 中的 {used}（估算）。</translation>
    </message>
</context>
<context>
    <name>Dates</name>
    <message>
        <source>d MMM</source>
        <translation>M月d日</translation>
    </message>
    <message>
        <source>d MMM yyyy</source>
        <translation>yyyy年M月d日</translation>
    </message>
    <message>
        <source>today</source>
        <translation>今天</translation>
    </message>
    <message>
        <source>{day}, {time}</source>
        <translation>{day} {time}</translation>
    </message>
</context>
<context>
    <name>DepthPromptField</name>
    <message>
        <source>Depth</source>
        <translation>深度</translation>
    </message>
    <message>
        <source>Depth prompt</source>
        <translation>深度提示词</translation>
    </message>
    <message>
        <source>How many messages follow it.</source>
        <translation>在它之后还有几条消息。</translation>
    </message>
    <message>
        <source>In the name of</source>
        <translation>以谁的名义</translation>
    </message>
    <message>
        <source>Sent among the newest messages: what must not be forgotten while playing.</source>
        <translation>夹在最新的消息之间发送：扮演时绝不能忘的内容。</translation>
    </message>
    <message>
        <source>The character</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>The system</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>You</source>
        <translation>你</translation>
    </message>
</context>
<context>
    <name>EmbedderForm</name>
    <message>
        <source>A name or prefix is too long.</source>
        <translation>名称或前缀太长。</translation>
    </message>
    <message>
        <source>Asking for vectors of 48 sentences…</source>
        <translation>正在请求 48 个句子的向量…</translation>
    </message>
    <message>
        <source>Before a memory</source>
        <translation>记忆之前</translation>
    </message>
    <message>
        <source>Before a question</source>
        <translation>问题之前</translation>
    </message>
    <message>
        <source>By the name of the model: {prefixes}</source>
        <translation>按模型名称：{prefixes}</translation>
    </message>
    <message>
        <source>Chinese</source>
        <translation>中文</translation>
    </message>
    <message>
        <source>Embedding model</source>
        <translation>嵌入模型</translation>
    </message>
    <message>
        <source>English</source>
        <translation>英文</translation>
    </message>
    <message>
        <source>Enter a whole number from {low} to {high}.</source>
        <translation>请输入 {low} 到 {high} 之间的整数。</translation>
    </message>
    <message>
        <source>Fewer are sent when the server refuses so many.</source>
        <translation>服务器嫌多时会自动减少。</translation>
    </message>
    <message>
        <source>Give it a name.</source>
        <translation>请起一个名称。</translation>
    </message>
    <message>
        <source>It was not saved.</source>
        <translation>没有保存。</translation>
    </message>
    <message>
        <source>It works and was saved.</source>
        <translation>可以使用，已保存。</translation>
    </message>
    <message>
        <source>Load models</source>
        <translation>读取模型列表</translation>
    </message>
    <message>
        <source>Longest text (tokens)</source>
        <translation>最长文本（词元）</translation>
    </message>
    <message>
        <source>Many models were trained to tell questions from passages by it.</source>
        <translation>许多模型在训练时就靠它区分问题和段落。</translation>
    </message>
    <message>
        <source>More: prefixes and limits</source>
        <translation>更多：前缀与限制</translation>
    </message>
    <message>
        <source>My embedding server</source>
        <translation>我的嵌入服务器</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名字</translation>
    </message>
    <message>
        <source>One made for embeddings, not the one that chats: {name}, for example.</source>
        <translation>要用专门做嵌入的模型，而不是聊天的模型，例如 {name}。</translation>
    </message>
    <message>
        <source>Own prefixes</source>
        <translation>自定义前缀</translation>
    </message>
    <message>
        <source>Server address</source>
        <translation>服务器地址</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Test and save</source>
        <translation>测试并保存</translation>
    </message>
    <message>
        <source>Tested: {count} dimensions.</source>
        <translation>已测试：{count} 维。</translation>
    </message>
    <message>
        <source>Texts in a request</source>
        <translation>每次请求的文本数</translation>
    </message>
    <message>
        <source>The test was stopped. Nothing was saved.</source>
        <translation>测试已停止，什么都没有保存。</translation>
    </message>
    <message>
        <source>What is longer is cut off.</source>
        <translation>超出的部分会被截去。</translation>
    </message>
    <message>
        <source>What stands before texts</source>
        <translation>文本前缀</translation>
    </message>
    <message>
        <source>{count} dimensions, about {speed} short texts a second.</source>
        <translation>{count} 维，每秒约 {speed} 条短文本。</translation>
    </message>
    <message>
        <source>{language}: this model hardly tells sentences apart ({share} %; chance is 50 %). Memories in this language are found by words.</source>
        <translation>{language}：这个模型几乎分不清句子（{share} %，随机为 50 %）。这种语言的记忆将按字词查找。</translation>
    </message>
    <message>
        <source>{language}: what belongs together scores above {share} % of the rest.</source>
        <translation>{language}：相关的句子得分高于其余 {share} % 的句子。</translation>
    </message>
</context>
<context>
    <name>Embedders</name>
    <message>
        <source>A source that is not there any more</source>
        <translation>已不存在的来源</translation>
    </message>
    <message>
        <source>Bundled model, on this computer</source>
        <translation>内置模型（在本机运行）</translation>
    </message>
</context>
<context>
    <name>EmbeddingJob</name>
    <message>
        <source>Embedding</source>
        <translation>向量化</translation>
    </message>
    <message>
        <source>Embedding is paused. Memories without a vector are found by words.</source>
        <translation>向量化已暂停。没有向量的记忆按词语查找。</translation>
    </message>
    <message>
        <source>Go on embedding</source>
        <translation>继续向量化</translation>
    </message>
</context>
<context>
    <name>EmbeddingProgress</name>
    <message>
        <source>Embedding</source>
        <translation>向量化</translation>
    </message>
    <message>
        <source>Memories of this chat that have their vector. The rest follow in the background.</source>
        <translation>这个聊天中已有向量的记忆。其余的会在后台完成。</translation>
    </message>
    <message>
        <source>Stop making memories</source>
        <translation>停止生成记忆</translation>
    </message>
    <message>
        <source>Stop; the memories are then what they were before.</source>
        <translation>停止；记忆会恢复到之前的样子。</translation>
    </message>
    <message>
        <source>embedding {0} of {1}</source>
        <translation>正在向量化 {0} / {1}</translation>
    </message>
    <message>
        <source>making memories</source>
        <translation>正在生成记忆</translation>
    </message>
    <message>
        <source>making memories: {0} of {1} messages</source>
        <translation>正在生成记忆：已处理 {0} / {1} 条消息</translation>
    </message>
</context>
<context>
    <name>EmbeddingsDialog</name>
    <message>
        <source>Add an embedding server</source>
        <translation>添加嵌入服务器</translation>
    </message>
    <message>
        <source>Bundled model</source>
        <translation>内置模型</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Connections and chats may choose another one.</source>
        <translation>连接和聊天可以另选其他来源。</translation>
    </message>
    <message>
        <source>Delete this source</source>
        <translation>删除此来源</translation>
    </message>
    <message>
        <source>Embedding sources</source>
        <translation>嵌入来源</translation>
    </message>
    <message>
        <source>Embeddings</source>
        <translation>向量嵌入</translation>
    </message>
    <message>
        <source>Embeddings and search index</source>
        <translation>向量嵌入与搜索索引</translation>
    </message>
    <message>
        <source>Memories get their new vectors in the background; until all of a chat&apos;s are there, it is recalled by the present ones. Changing back within 14 days costs nothing.</source>
        <translation>记忆会在后台换上新的向量；在一个聊天的新向量齐全之前，仍按现有向量回忆。14 天内换回来不需要任何开销。</translation>
    </message>
    <message>
        <source>New server</source>
        <translation>新服务器</translation>
    </message>
    <message>
        <source>Source where nothing else is chosen</source>
        <translation>未另作选择时使用的来源</translation>
    </message>
    <message>
        <source>Sources</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>They let memories be found by what they mean. The bundled model needs no network and knows many languages; a server may know yours better.</source>
        <translation>它让记忆可以按含义被找到。内置模型不需要网络，懂多种语言；服务器上的模型也许更懂你的语言。</translation>
    </message>
    <message>
        <source>Undo delete</source>
        <translation>撤销删除</translation>
    </message>
    <message>
        <source>not tested yet</source>
        <translation>尚未测试</translation>
    </message>
    <message>
        <source>used where nothing else is chosen</source>
        <translation>未另作选择时使用</translation>
    </message>
    <message>
        <source>{model} comes with memdesk and runs on this computer. Nothing is sent.</source>
        <translation>{model} 随 memdesk 一起提供，在本机运行，不会发送任何内容。</translation>
    </message>
    <message>
        <source>“{name}” was deleted.</source>
        <translation>已删除“{name}”。</translation>
    </message>
</context>
<context>
    <name>Errors</name>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>%1 cannot be opened: check that the folder can be written.</source>
        <translation>无法打开 %1：请检查该文件夹是否可写。</translation>
    </message>
    <message>
        <source>%1 cannot be written: it is read-only.</source>
        <translation>无法写入 %1：它是只读的。</translation>
    </message>
    <message>
        <source>%1 is closed.</source>
        <translation>%1 已关闭。</translation>
    </message>
    <message>
        <source>%1 is locked by another program.</source>
        <translation>%1 被另一个程序锁定。</translation>
    </message>
    <message>
        <source>%1 is not a memdesk database.</source>
        <translation>%1 不是 memdesk 的数据库。</translation>
    </message>
    <message>
        <source>%1 was written by a newer memdesk. Please update memdesk. Nothing was changed.</source>
        <translation>%1 由更新版本的 memdesk 写成。请更新 memdesk。没有作任何改动。</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>A built-in preset keeps its name and cannot be deleted.</source>
        <translation>内置预设不能改名，也不能删除。</translation>
    </message>
    <message>
        <source>A reply is being written in this chat. Stop it first, or wait for its end.</source>
        <translation>这个聊天正在生成回复。请先停止，或等它写完。</translation>
    </message>
    <message>
        <source>It needs a name.</source>
        <translation>请填写名称。</translation>
    </message>
    <message>
        <source>Something unexpected went wrong (%1). The details are in the log.</source>
        <translation>出现了意外错误（%1）。详情请看日志。</translation>
    </message>
    <message>
        <source>The data folder %1 is in use by another memdesk. Close it first, or choose another folder.</source>
        <translation>数据文件夹 %1 正被另一个 memdesk 使用。请先关闭它，或选择别的文件夹。</translation>
    </message>
    <message>
        <source>The disk failed while %1 was read or written.</source>
        <translation>读写 %1 时磁盘出错。</translation>
    </message>
    <message>
        <source>The disk is full: %1 could not be written. Nothing was lost.</source>
        <translation>磁盘已满：无法写入 %1。没有丢失任何内容。</translation>
    </message>
    <message>
        <source>The memory model that ships with memdesk is missing or damaged; reinstall memdesk to get it back.</source>
        <translation>memdesk 自带的记忆模型缺失或损坏；请重新安装 memdesk 以恢复它。</translation>
    </message>
</context>
<context>
    <name>Failure</name>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>密钥</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Reply</source>
        <translation>回复</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>The file cannot be used: {reason}.</source>
        <translation>无法使用这个文件：{reason}。</translation>
    </message>
    <message>
        <source>The server says: {words}</source>
        <translation>服务器的说法：{words}</translation>
    </message>
    <message>
        <source>answers, but lists no models</source>
        <translation>有响应，但没有列出模型</translation>
    </message>
    <message>
        <source>cannot be reached</source>
        <translation>无法连接</translation>
    </message>
    <message>
        <source>empty reply</source>
        <translation>回复为空</translation>
    </message>
    <message>
        <source>no answer in time</source>
        <translation>响应超时</translation>
    </message>
    <message>
        <source>no secure connection</source>
        <translation>无法建立安全连接</translation>
    </message>
    <message>
        <source>not a language model server</source>
        <translation>不是语言模型服务器</translation>
    </message>
    <message>
        <source>not allowed</source>
        <translation>没有权限</translation>
    </message>
    <message>
        <source>not on this server</source>
        <translation>服务器上没有</translation>
    </message>
    <message>
        <source>nothing listens there</source>
        <translation>没有程序在监听</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>被拒绝</translation>
    </message>
    <message>
        <source>request refused</source>
        <translation>请求被拒绝</translation>
    </message>
    <message>
        <source>sends us elsewhere</source>
        <translation>被转到别处</translation>
    </message>
    <message>
        <source>size not told</source>
        <translation>未告知大小</translation>
    </message>
    <message>
        <source>smaller than set here</source>
        <translation>小于此处的设置</translation>
    </message>
    <message>
        <source>the connection broke</source>
        <translation>连接中断</translation>
    </message>
    <message>
        <source>the server failed</source>
        <translation>服务器出错</translation>
    </message>
    <message>
        <source>too long</source>
        <translation>太长</translation>
    </message>
    <message>
        <source>too many requests</source>
        <translation>请求过多</translation>
    </message>
    <message>
        <source>unreadable reply</source>
        <translation>回复无法读取</translation>
    </message>
    <message>
        <source>works, but is not listed</source>
        <translation>可用，但不在列表中</translation>
    </message>
    <message>
        <source>wrong path</source>
        <translation>路径不对</translation>
    </message>
    <message>
        <source>{title}: {words}</source>
        <translation>{title}：{words}</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>All chats</source>
        <translation>所有聊天</translation>
    </message>
    <message>
        <source>By meaning</source>
        <translation>按含义</translation>
    </message>
    <message>
        <source>Close (Esc)</source>
        <translation>关闭（Esc）</translation>
    </message>
    <message>
        <source>Close the find bar</source>
        <translation>关闭查找栏</translation>
    </message>
    <message>
        <source>Find by meaning</source>
        <translation>按含义查找</translation>
    </message>
    <message>
        <source>Find in all chats</source>
        <translation>在所有聊天中查找</translation>
    </message>
    <message>
        <source>Find in this chat</source>
        <translation>在此聊天中查找</translation>
    </message>
    <message>
        <source>Find messages that say something like it, the nearest first. Needs memories with vectors.</source>
        <translation>查找意思相近的消息，最接近的排在最前。需要已有向量的记忆。</translation>
    </message>
    <message>
        <source>Next place</source>
        <translation>下一处</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>没有找到</translation>
    </message>
    <message>
        <source>Places found</source>
        <translation>找到的位置</translation>
    </message>
    <message>
        <source>Previous place</source>
        <translation>上一处</translation>
    </message>
    <message>
        <source>Words in any order; “in quotation marks” as they stand.</source>
        <translation>词语不分先后；加“引号”则按原样查找。</translation>
    </message>
    <message>
        <source>Words to find</source>
        <translation>要查找的词语</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>第 {0} 处，共 {1} 处</translation>
    </message>
</context>
<context>
    <name>FindModelDialog</name>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>API key for this server</source>
        <translation>这个服务器的 API 密钥</translation>
    </message>
    <message>
        <source>Ask this address</source>
        <translation>询问这个地址</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Find a model on this computer</source>
        <translation>在本机寻找模型</translation>
    </message>
    <message>
        <source>Found models</source>
        <translation>找到的模型</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>重新寻找</translation>
    </message>
    <message>
        <source>Looking for language models</source>
        <translation>正在寻找语言模型</translation>
    </message>
    <message>
        <source>Looking for servers</source>
        <translation>正在寻找服务器</translation>
    </message>
    <message>
        <source>No language model is running here</source>
        <translation>本机没有正在运行的语言模型</translation>
    </message>
    <message>
        <source>Or give the address by hand, also of a server elsewhere:</source>
        <translation>也可以手动填写地址，其他机器上的服务器也行：</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>Server address</source>
        <translation>服务器地址</translation>
    </message>
    <message>
        <source>Show its models</source>
        <translation>显示它的模型</translation>
    </message>
    <message>
        <source>Test this model</source>
        <translation>测试这个模型</translation>
    </message>
    <message>
        <source>The one that the program shows when it starts, or that your provider names.</source>
        <translation>程序启动时显示的地址，或服务商给出的地址。</translation>
    </message>
    <message>
        <source>The server lists no models. Load or download one there first.</source>
        <translation>服务器没有列出任何模型。请先在那里加载或下载一个。</translation>
    </message>
    <message>
        <source>Until then the demo voice stays available: it is no language model, but shows how memory works.</source>
        <translation>在此之前，演示之声一直可用：它不是语言模型，但能展示记忆如何工作。</translation>
    </message>
    <message>
        <source>Use it all the same</source>
        <translation>仍然使用</translation>
    </message>
    <message>
        <source>Use this model</source>
        <translation>使用这个模型</translation>
    </message>
    <message>
        <source>Which one should reply?</source>
        <translation>由哪一个来回复？</translation>
    </message>
    <message>
        <source>asks for an API key</source>
        <translation>需要 API 密钥</translation>
    </message>
    <message>
        <source>context size not told</source>
        <translation>未告知上下文大小</translation>
    </message>
    <message>
        <source>has no model yet</source>
        <translation>还没有模型</translation>
    </message>
    <message>
        <source>memdesk knows where these programs usually wait: {programs}. Start one of them with a model loaded and its server switched on, then look again.</source>
        <translation>memdesk 知道这些程序通常在哪里等待：{programs}。启动其中一个，加载模型并打开它的服务器，然后重新寻找。</translation>
    </message>
    <message>
        <source>memdesk only looks at this computer, at the places where the usual programs wait for questions; nothing is asked of any other machine.</source>
        <translation>memdesk 只在本机查看常用程序等待请求的位置，不会询问任何其他机器。</translation>
    </message>
    <message>
        <source>{address} · context {count} tokens</source>
        <translation>{address} · 上下文 {count} token</translation>
    </message>
    <message>
        <source>{count} tokens of context</source>
        <translation>上下文 {count} token</translation>
    </message>
</context>
<context>
    <name>FoundList</name>
    <message>
        <source>Messages found</source>
        <translation>找到的消息</translation>
    </message>
</context>
<context>
    <name>FoundModel</name>
    <message>
        <source>hidden from the model</source>
        <translation>对模型隐藏</translation>
    </message>
    <message>
        <source>{0} more chats</source>
        <translation>还有 {0} 个聊天</translation>
    </message>
    <message>
        <source>{0} more in this chat</source>
        <translation>此聊天中还有 {0} 条</translation>
    </message>
</context>
<context>
    <name>FurtherPrompts</name>
    <message>
        <source>(no name)</source>
        <translation>（无名称）</translation>
    </message>
    <message>
        <source>Add prompt</source>
        <translation>添加提示词</translation>
    </message>
    <message>
        <source>Further prompts</source>
        <translation>附加提示词</translation>
    </message>
    <message>
        <source>Move prompt down</source>
        <translation>下移提示词</translation>
    </message>
    <message>
        <source>Move prompt up</source>
        <translation>上移提示词</translation>
    </message>
    <message>
        <source>Name of the prompt</source>
        <translation>提示词名称</translation>
    </message>
    <message>
        <source>New prompt</source>
        <translation>新提示词</translation>
    </message>
    <message>
        <source>Remove prompt</source>
        <translation>移除提示词</translation>
    </message>
    <message>
        <source>Text of the prompt</source>
        <translation>提示词内容</translation>
    </message>
</context>
<context>
    <name>GalleryModel</name>
    <message>
        <source>favourite</source>
        <translation>已收藏</translation>
    </message>
</context>
<context>
    <name>GenerateDialog</name>
    <message>
        <source>Add a range</source>
        <translation>添加范围</translation>
    </message>
    <message>
        <source>At most {0} messages at a time.</source>
        <translation>一次最多 {0} 条消息。</translation>
    </message>
    <message>
        <source>Both numbers are needed.</source>
        <translation>两个编号都要填写。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>First message of range {0}</source>
        <translation>范围 {0} 的第一条消息</translation>
    </message>
    <message>
        <source>Generate</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>Generate a summary</source>
        <translation>生成摘要</translation>
    </message>
    <message>
        <source>Hidden messages are not counted. What a summary has hidden is not read again.</source>
        <translation>隐藏的消息不计入；被摘要隐藏的消息不会再次读取。</translation>
    </message>
    <message>
        <source>How many</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>Last message of range {0}</source>
        <translation>范围 {0} 的最后一条消息</translation>
    </message>
    <message>
        <source>Messages are numbered from 1 on.</source>
        <translation>消息从 1 开始编号。</translation>
    </message>
    <message>
        <source>Ranges</source>
        <translation>范围</translation>
    </message>
    <message>
        <source>Ranges of messages, a summary for each</source>
        <translation>若干消息范围，每个范围一条摘要</translation>
    </message>
    <message>
        <source>Remove range {0}</source>
        <translation>移除范围 {0}</translation>
    </message>
    <message>
        <source>Some ranges overlap. That is allowed.</source>
        <translation>有些范围重叠，这是允许的。</translation>
    </message>
    <message>
        <source>The model gets a request of its own, with these messages and the template, not the prompt of the chat. You can go on meanwhile.</source>
        <translation>模型收到的是一个单独的请求，只含这些消息和模板，而不是聊天的提示词。期间可以继续聊天。</translation>
    </message>
    <message>
        <source>The newest messages</source>
        <translation>最新的消息</translation>
    </message>
    <message>
        <source>This chat has the messages 1 to {0}.</source>
        <translation>本聊天的消息编号为 1 到 {0}。</translation>
    </message>
</context>
<context>
    <name>GoneBar</name>
    <message>
        <source>Choose another character</source>
        <translation>换一个角色</translation>
    </message>
    <message>
        <source>Choose another character…</source>
        <translation>换一个角色…</translation>
    </message>
    <message>
        <source>The character of this chat is gone: nobody can reply.</source>
        <translation>这个聊天的角色已不存在，没有谁能回复。</translation>
    </message>
    <message>
        <source>Trash…</source>
        <translation>回收站…</translation>
    </message>
    <message>
        <source>{name} is in the trash. It still replies here until the trash is emptied.</source>
        <translation>{name}在回收站里。清空回收站之前，它在这里仍会回复。</translation>
    </message>
</context>
<context>
    <name>GreetingsEditor</name>
    <message>
        <source>Add alternate greeting</source>
        <translation>添加备选开场白</translation>
    </message>
    <message>
        <source>Add group greeting</source>
        <translation>添加群聊开场白</translation>
    </message>
</context>
<context>
    <name>GroupBar</name>
    <message>
        <source>All members</source>
        <translation>全部成员</translation>
    </message>
    <message>
        <source>Everyone replies in turn.</source>
        <translation>大家依次回复。</translation>
    </message>
    <message>
        <source>Members</source>
        <translation>成员</translation>
    </message>
    <message>
        <source>Members and reply order</source>
        <translation>成员与回复顺序</translation>
    </message>
    <message>
        <source>Nobody replies by themselves here.</source>
        <translation>这里没有人会自己回复。</translation>
    </message>
    <message>
        <source>One reply for all.</source>
        <translation>所有人合为一条回复。</translation>
    </message>
    <message>
        <source>Who is mentioned replies, else whoever likes to talk.</source>
        <translation>被提到的人回复，否则由健谈的人回复。</translation>
    </message>
    <message>
        <source>You choose who replies: click a face.</source>
        <translation>由你决定谁来回复：点击头像。</translation>
    </message>
</context>
<context>
    <name>GroupDesk</name>
    <message>
        <source>A reply is being written. Stop it first, or wait for its end.</source>
        <translation>正在生成回复。请先停止，或等它写完。</translation>
    </message>
    <message>
        <source>Add members…</source>
        <translation>添加成员…</translation>
    </message>
    <message>
        <source>Edit character…</source>
        <translation>编辑角色…</translation>
    </message>
    <message>
        <source>Let reply</source>
        <translation>让其回复</translation>
    </message>
    <message>
        <source>Member actions</source>
        <translation>成员操作</translation>
    </message>
    <message>
        <source>Members and reply order…</source>
        <translation>成员与回复顺序…</translation>
    </message>
    <message>
        <source>Members…</source>
        <translation>成员…</translation>
    </message>
    <message>
        <source>Move left</source>
        <translation>左移</translation>
    </message>
    <message>
        <source>Move right</source>
        <translation>右移</translation>
    </message>
    <message>
        <source>Mute</source>
        <translation>静音</translation>
    </message>
    <message>
        <source>New group chat…</source>
        <translation>新建群聊…</translation>
    </message>
    <message>
        <source>Remove from the group</source>
        <translation>移出群聊</translation>
    </message>
    <message>
        <source>Unmute</source>
        <translation>取消静音</translation>
    </message>
</context>
<context>
    <name>GroupMembersDialog</name>
    <message>
        <source>Add members…</source>
        <translation>添加成员…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Each from their own card</source>
        <translation>各按自己的角色卡回复</translation>
    </message>
    <message>
        <source>End a reply where the model speaks for somebody else</source>
        <translation>模型开始替别人说话时结束回复</translation>
    </message>
    <message>
        <source>In turn: everyone, in this order</source>
        <translation>依次：每个人都按此顺序回复</translation>
    </message>
    <message>
        <source>Members</source>
        <translation>成员</translation>
    </message>
    <message>
        <source>Natural: who is mentioned, else by talkativeness</source>
        <translation>自然：被提到的人回复，否则按健谈程度</translation>
    </message>
    <message>
        <source>Nobody is in this group. Add a member to get replies.</source>
        <translation>这个群聊里没有人。添加成员后才会有回复。</translation>
    </message>
    <message>
        <source>One reply for all</source>
        <translation>所有人合为一条回复</translation>
    </message>
    <message>
        <source>Replies</source>
        <translation>回复方式</translation>
    </message>
    <message>
        <source>Who replies</source>
        <translation>谁来回复</translation>
    </message>
    <message>
        <source>Who spoke last may reply again at once</source>
        <translation>刚说过话的人可以马上再次回复</translation>
    </message>
    <message>
        <source>You choose: nobody replies by themselves</source>
        <translation>由你决定：没有人会自己回复</translation>
    </message>
</context>
<context>
    <name>HideRangeDialog</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>First message</source>
        <translation>第一条</translation>
    </message>
    <message>
        <source>Hidden messages stay in the chat and are not sent. Their memories are kept.</source>
        <translation>隐藏的消息仍留在聊天里，但不会发送给模型。它们的记忆会保留。</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>隐藏</translation>
    </message>
    <message>
        <source>Hide messages from the model</source>
        <translation>对模型隐藏消息</translation>
    </message>
    <message>
        <source>Last message</source>
        <translation>最后一条</translation>
    </message>
    <message>
        <source>Show again</source>
        <translation>恢复</translation>
    </message>
</context>
<context>
    <name>ImportWords</name>
    <message>
        <source>%n persona(s) added.</source>
        <translation>已添加 %n 个用户角色。</translation>
    </message>
    <message>
        <source>%n persona(s) were here already.</source>
        <translation>%n 个用户角色原本就有。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Copy all</source>
        <translation>全部复制</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>全部显示</translation>
    </message>
    <message>
        <source>There are no personas in it.</source>
        <translation>里面没有用户角色。</translation>
    </message>
    <message>
        <source>What the import says</source>
        <translation>导入的提示</translation>
    </message>
    <message>
        <source>and %n more</source>
        <translation>另有 %n 项</translation>
    </message>
</context>
<context>
    <name>Imports</name>
    <message numerus="yes">
        <source>%n character(s) imported.</source>
        <translation>
            <numerusform>已导入 %n 个角色。</numerusform>
        </translation>
    </message>
    <message>
        <source>Character imported: {name}</source>
        <translation>已导入角色：{name}</translation>
    </message>
    <message>
        <source>Importing files</source>
        <translation>正在导入文件</translation>
    </message>
    <message>
        <source>Preset kept: {name}. It is under Presets, to be used.</source>
        <translation>已保存预设：{name}。可在“预设”中选用。</translation>
    </message>
    <message>
        <source>Stopped after {done} of {total} files.</source>
        <translation>已停止，导入了 {total} 个文件中的 {done} 个。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>{file} holds memories: open the chat that they go into first.</source>
        <translation>{file} 是记忆文件：请先打开要导入的聊天。</translation>
    </message>
</context>
<context>
    <name>IndexBox</name>
    <message>
        <source>Access token</source>
        <translation>访问令牌</translation>
    </message>
    <message>
        <source>Chroma host</source>
        <translation>Chroma 主机</translation>
    </message>
    <message>
        <source>Chroma port</source>
        <translation>Chroma 端口</translation>
    </message>
    <message>
        <source>Encrypted (https)</source>
        <translation>加密（https）</translation>
    </message>
    <message>
        <source>Enter a host name or an address, without http://</source>
        <translation>请输入主机名或地址，不要带 http://</translation>
    </message>
    <message>
        <source>Enter a port from 1 to 65,535.</source>
        <translation>请输入 1 到 65,535 之间的端口。</translation>
    </message>
    <message>
        <source>In memdesk, in the data folder</source>
        <translation>由 memdesk 保存在数据文件夹中</translation>
    </message>
    <message>
        <source>It makes searching long chats quick. It can be lost without loss: it is made again from what is in the database, and until then every memory is compared.</source>
        <translation>它让长聊天的搜索更快。丢了也没有损失：会根据数据库重新生成，在此之前逐条比较所有记忆。</translation>
    </message>
    <message>
        <source>Looking at the index…</source>
        <translation>正在查看索引…</translation>
    </message>
    <message>
        <source>On a Chroma server</source>
        <translation>在 Chroma 服务器上</translation>
    </message>
    <message>
        <source>One moment…</source>
        <translation>请稍候…</translation>
    </message>
    <message>
        <source>Only numbers go there, no text. Several computers can share one server: each sees only its own.</source>
        <translation>发送过去的只有数字，没有文字。多台电脑可以共用一台服务器，各自只看到自己的内容。</translation>
    </message>
    <message>
        <source>Place of the index</source>
        <translation>索引的位置</translation>
    </message>
    <message>
        <source>Rebuild and compact</source>
        <translation>重建并压缩</translation>
    </message>
    <message>
        <source>Search index</source>
        <translation>搜索索引</translation>
    </message>
    <message>
        <source>Stop rebuilding</source>
        <translation>停止重建</translation>
    </message>
    <message>
        <source>Stopped; the index is as it was.</source>
        <translation>已停止，索引保持原样。</translation>
    </message>
    <message>
        <source>The index cannot be used now; every memory is compared instead.</source>
        <translation>索引目前无法使用，改为逐条比较所有记忆。</translation>
    </message>
    <message>
        <source>The index is made anew…</source>
        <translation>正在重新生成索引…</translation>
    </message>
    <message numerus="yes">
        <source>The index works: %n vector(s)</source>
        <translation>
            <numerusform>索引正常：%n 个向量</numerusform>
        </translation>
    </message>
    <message>
        <source>Use this place</source>
        <translation>使用此位置</translation>
    </message>
    <message>
        <source>{done} of {total} vectors are in the new index.</source>
        <translation>新索引中已有 {done} / {total} 个向量。</translation>
    </message>
    <message>
        <source>{words}, {size} MB</source>
        <translation>{words}，{size} MB</translation>
    </message>
</context>
<context>
    <name>IndexJob</name>
    <message>
        <source>Reading messages in for the search</source>
        <translation>正在为搜索建立索引</translation>
    </message>
</context>
<context>
    <name>JobsIndicator</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Cancel: {title}</source>
        <translation>取消：{title}</translation>
    </message>
    <message>
        <source>Pause: {title}</source>
        <translation>暂停：{title}</translation>
    </message>
    <message>
        <source>{title}: {done} of {total}</source>
        <translation>{title}：{done} / {total}</translation>
    </message>
</context>
<context>
    <name>JumpButton</name>
    <message>
        <source>Jump to the newest message</source>
        <translation>跳到最新消息</translation>
    </message>
    <message>
        <source>Newest message</source>
        <translation>最新消息</translation>
    </message>
</context>
<context>
    <name>KeptParts</name>
    <message>
        <source>Also in this card, kept as it is</source>
        <translation>卡中还有以下内容，会原样保留</translation>
    </message>
    <message>
        <source>Creator notes, {what}</source>
        <translation>作者说明，{what}</translation>
    </message>
    <message>
        <source>File: {what}</source>
        <translation>文件：{what}</translation>
    </message>
    <message numerus="yes">
        <source>Lorebook with %n entry(s)</source>
        <translation>
            <numerusform>世界书，共 %n 条</numerusform>
        </translation>
    </message>
    <message>
        <source>Source: {what}</source>
        <translation>来源：{what}</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>另有 %n 项</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>KeyField</name>
    <message>
        <source>A key is kept.</source>
        <translation>已保存密钥。</translation>
    </message>
    <message>
        <source>API key</source>
        <translation>API 密钥</translation>
    </message>
    <message>
        <source>Keep the present key</source>
        <translation>保留现有密钥</translation>
    </message>
    <message>
        <source>Keys are kept in the system keyring.</source>
        <translation>密钥保存在系统钥匙串中。</translation>
    </message>
    <message>
        <source>No system keyring works here: keys are kept in a file that only you can read.</source>
        <translation>这里没有可用的系统钥匙串：密钥保存在只有你能读取的文件中。</translation>
    </message>
    <message>
        <source>No system keyring works here: the key is kept in a file in the data folder that only your account can read, unencrypted.</source>
        <translation>这里没有可用的系统钥匙串：密钥未经加密，保存在数据文件夹中只有你的账户能读取的文件里。</translation>
    </message>
    <message>
        <source>Remove key</source>
        <translation>移除密钥</translation>
    </message>
    <message>
        <source>Replace key</source>
        <translation>更换密钥</translation>
    </message>
    <message>
        <source>The key will be removed when you save.</source>
        <translation>保存时将移除密钥。</translation>
    </message>
    <message>
        <source>only if the server asks for one</source>
        <translation>仅当服务器要求时填写</translation>
    </message>
</context>
<context>
    <name>LeftOut</name>
    <message>
        <source>Only the first {count} prompts were taken.</source>
        <translation>只导入了前 {count} 条提示词。</translation>
    </message>
    <message>
        <source>The context size ({value} tokens) belongs to the connection.</source>
        <translation>上下文大小（{value} token）属于连接的设置。</translation>
    </message>
    <message>
        <source>The order of the character’s fields: memdesk has one of its own.</source>
        <translation>角色各字段的顺序：memdesk 使用自己的顺序。</translation>
    </message>
    <message>
        <source>{count} scripts (regular expressions) do not run in memdesk.</source>
        <translation>{count} 个脚本（正则表达式）不会在 memdesk 中运行。</translation>
    </message>
    <message>
        <source>{count} settings of the program or the service: {names}.</source>
        <translation>{count} 项属于程序或服务的设置：{names}。</translation>
    </message>
    <message>
        <source>{name}: {value} is out of range and is not used.</source>
        <translation>{name}：{value} 超出范围，不使用。</translation>
    </message>
    <message>
        <source>“{name}” becomes part of the system’s text above the chat; its role ({role}) is lost.</source>
        <translation>“{name}”将并入聊天上方的系统文本，其身份（{role}）不会保留。</translation>
    </message>
    <message>
        <source>“{name}” is not used: memdesk has words of its own for this.</source>
        <translation>“{name}”不使用：memdesk 有自己的措辞。</translation>
    </message>
    <message>
        <source>“{name}” was longer than {count} characters and was cut.</source>
        <translation>“{name}”超过 {count} 个字符，已截断。</translation>
    </message>
    <message>
        <source>“{name}” was switched off in the file; memdesk sends it all the same.</source>
        <translation>“{name}”在文件中已关闭，但 memdesk 仍会发送。</translation>
    </message>
</context>
<context>
    <name>Library</name>
    <message>
        <source>A chat needs a title.</source>
        <translation>聊天需要一个标题。</translation>
    </message>
    <message>
        <source>A checkpoint needs a name.</source>
        <translation>检查点需要一个名字。</translation>
    </message>
    <message>
        <source>A frozen summary is changed by nobody but you.</source>
        <translation>冻结的摘要只有你自己能改。</translation>
    </message>
    <message>
        <source>A group chat needs at least one character.</source>
        <translation>群聊至少需要一个角色。</translation>
    </message>
    <message>
        <source>A memory needs text. Forget it instead, or turn it off.</source>
        <translation>记忆不能没有文字。可以改为忘记它，或者停用它。</translation>
    </message>
    <message>
        <source>A note needs text.</source>
        <translation>笔记不能没有文字。</translation>
    </message>
    <message>
        <source>A persona needs a name.</source>
        <translation>用户角色需要一个名字。</translation>
    </message>
    <message>
        <source>A server answers at {address} and lists {count} model.</source>
        <translation>{address} 上的服务器有响应，列出了 {count} 个模型。</translation>
    </message>
    <message>
        <source>A server answers at {address} and lists {count} models.</source>
        <translation>{address} 上的服务器有响应，列出了 {count} 个模型。</translation>
    </message>
    <message>
        <source>A server answers at {address}, but does not list its models.</source>
        <translation>{address} 上的服务器有响应，但没有列出它的模型。</translation>
    </message>
    <message>
        <source>A server answers at {address}.</source>
        <translation>{address} 上的服务器有响应。</translation>
    </message>
    <message>
        <source>A trial reply (so far only thoughts) began after {first} s and took {whole} s.</source>
        <translation>试探性的回复（目前只有思考过程）在 {first} 秒后开始，共用时 {whole} 秒。</translation>
    </message>
    <message>
        <source>A trial reply began after {first} s and took {whole} s.</source>
        <translation>试探性的回复在 {first} 秒后开始，共用时 {whole} 秒。</translation>
    </message>
    <message>
        <source>Broken characters were replaced by {sign}.</source>
        <translation>损坏的字符已替换为 {sign}。</translation>
    </message>
    <message>
        <source>Characters are written as PNG or JSON files.</source>
        <translation>角色只能写成 PNG 或 JSON 文件。</translation>
    </message>
    <message>
        <source>Choose a Memory Recall export file.</source>
        <translation>请选择一个记忆召回导出文件。</translation>
    </message>
    <message>
        <source>Chroma cannot be loaded: {reason}</source>
        <translation>无法加载 Chroma：{reason}</translation>
    </message>
    <message>
        <source>Fields of an unexpected type were repaired; their originals are kept: {fields}.</source>
        <translation>类型不符的字段已修复，原值仍保留：{fields}。</translation>
    </message>
    <message>
        <source>Files of Office before 2007 cannot be read: save it as DOCX, XLSX or PPTX.</source>
        <translation>无法读取 Office 2007 以前的文件：请另存为 DOCX、XLSX 或 PPTX。</translation>
    </message>
    <message>
        <source>Invalid Memory Recall export file</source>
        <translation>记忆召回导出文件无效</translation>
    </message>
    <message>
        <source>It declares its own markup (DOCTYPE), which documents have no need for; it was not opened.</source>
        <translation>它自带标记声明（DOCTYPE），文档并不需要这个，因此没有打开。</translation>
    </message>
    <message>
        <source>It holds pictures of pages without any text: a scan has to be recognised first.</source>
        <translation>里面只有页面的图片，没有文字：扫描件需要先做文字识别。</translation>
    </message>
    <message>
        <source>It is protected by a password.</source>
        <translation>它有密码保护。</translation>
    </message>
    <message>
        <source>It unpacks to far more than a document needs and was not opened.</source>
        <translation>它解压后远远超出文档所需的大小，因此没有打开。</translation>
    </message>
    <message>
        <source>Keys that appear twice in one object: {keys}. The last of each was kept.</source>
        <translation>同一对象中重复出现的键：{keys}。每个只保留最后一个。</translation>
    </message>
    <message>
        <source>Memory Recall is off in this chat; this is what would be recalled if it were on.</source>
        <translation>这个聊天没有启用记忆召回；这是启用后会召回的内容。</translation>
    </message>
    <message>
        <source>Memory {id} is not there any more.</source>
        <translation>记忆 {id} 已不存在。</translation>
    </message>
    <message>
        <source>Message {id} has no version {number}.</source>
        <translation>消息 {id} 没有第 {number} 个备选。</translation>
    </message>
    <message>
        <source>Message {id} is not there any more.</source>
        <translation>消息 {id} 已不存在。</translation>
    </message>
    <message>
        <source>No machine called “{host}” was found. Check the address and your network.</source>
        <translation>找不到名为“{host}”的机器。请检查地址和网络。</translation>
    </message>
    <message>
        <source>No memory follows this one.</source>
        <translation>这条记忆后面没有别的记忆了。</translation>
    </message>
    <message>
        <source>No model is chosen, but a request for it works.</source>
        <translation>没有选择模型，但请求可以成功。</translation>
    </message>
    <message>
        <source>No model is chosen, but a request for it works; the server answers as “{answered}”.</source>
        <translation>没有选择模型，但请求可以成功；服务器以“{answered}”的名义作答。</translation>
    </message>
    <message>
        <source>No model is chosen. It has: {names} and {count} more.</source>
        <translation>没有选择模型。服务器上有：{names}，另有 {count} 个。</translation>
    </message>
    <message>
        <source>No model is chosen. It has: {names}.</source>
        <translation>没有选择模型。服务器上有：{names}。</translation>
    </message>
    <message>
        <source>No model is chosen. Load or download one there first.</source>
        <translation>没有选择模型。请先在服务器上加载或下载一个。</translation>
    </message>
    <message>
        <source>No secure connection to {address} could be made. It probably speaks plain http: change https:// to http:// in the address.</source>
        <translation>无法与 {address} 建立安全连接。它可能只支持普通的 http：请把地址中的 https:// 改成 http://。</translation>
    </message>
    <message>
        <source>No secure connection to {address} could be made. Its certificate is not one that this machine trusts, or it is out of date.</source>
        <translation>无法与 {address} 建立安全连接。它的证书不受本机信任，或已过期。</translation>
    </message>
    <message>
        <source>No space is left for the search index {path} ({reason}).</source>
        <translation>没有空间存放搜索索引 {path}（{reason}）。</translation>
    </message>
    <message>
        <source>No usable memory chunks found in this export file</source>
        <translation>这个导出文件里没有可用的记忆</translation>
    </message>
    <message>
        <source>Nobody in this group replies by themselves: unmute a member, or choose who replies.</source>
        <translation>这个群聊里没有人会自己回复：请取消某个成员的静音，或自己选择谁来回复。</translation>
    </message>
    <message>
        <source>Nobody is in this group: add a member, then somebody can reply.</source>
        <translation>这个群聊里没有人：添加成员后才能有人回复。</translation>
    </message>
    <message>
        <source>Nothing listens at {address}. Start the server, or correct the port.</source>
        <translation>{address} 上没有程序在监听。请启动服务器，或改正端口。</translation>
    </message>
    <message>
        <source>Numbers that JSON cannot hold were replaced.</source>
        <translation>JSON 无法表示的数字已被替换。</translation>
    </message>
    <message>
        <source>ONNX Runtime cannot be loaded: {reason}</source>
        <translation>无法加载 ONNX Runtime：{reason}</translation>
    </message>
    <message>
        <source>Only a character&apos;s message can be continued.</source>
        <translation>只能续写角色的消息。</translation>
    </message>
    <message>
        <source>Only a character&apos;s message can be written anew.</source>
        <translation>只有角色的消息才能重新生成。</translation>
    </message>
    <message>
        <source>Only memories of one chat can be merged.</source>
        <translation>只能合并同一个聊天里的记忆。</translation>
    </message>
    <message>
        <source>Only the first {count} personas were read.</source>
        <translation>只读取了前 {count} 个用户角色。</translation>
    </message>
    <message>
        <source>Only the last message can be continued.</source>
        <translation>只能续写最后一条消息。</translation>
    </message>
    <message>
        <source>OpenAI-compatible server</source>
        <translation>兼容 OpenAI 的服务器</translation>
    </message>
    <message>
        <source>Reading it took too long and was stopped.</source>
        <translation>读取时间太长，已停止。</translation>
    </message>
    <message>
        <source>Reading it took too much memory and was stopped.</source>
        <translation>读取占用的内存太多，已停止。</translation>
    </message>
    <message>
        <source>Recall failed and was left out: {reason}</source>
        <translation>召回失败，本次未使用：{reason}</translation>
    </message>
    <message>
        <source>Recall works by words only.</source>
        <translation>召回只按词语进行。</translation>
    </message>
    <message>
        <source>Recall works by words only: {reason}</source>
        <translation>召回只按词语进行：{reason}</translation>
    </message>
    <message>
        <source>Some settings could not be used ({names}). They were kept in {path}.</source>
        <translation>有些设置无法使用（{names}），已保留在 {path} 中。</translation>
    </message>
    <message>
        <source>Summary {id} is not there any more.</source>
        <translation>摘要 {id} 已经不在了。</translation>
    </message>
    <message>
        <source>That character is not in this chat any more.</source>
        <translation>这个角色已不在此聊天中。</translation>
    </message>
    <message>
        <source>That checkpoint is not there any more.</source>
        <translation>那个检查点已经不在了。</translation>
    </message>
    <message>
        <source>That is not in the trash any more.</source>
        <translation>它已不在回收站里。</translation>
    </message>
    <message>
        <source>That is not its password.</source>
        <translation>密码不对。</translation>
    </message>
    <message>
        <source>That preset is not there any more.</source>
        <translation>这个预设已经不在了。</translation>
    </message>
    <message>
        <source>That version of the message is not there any more.</source>
        <translation>消息的这个备选已不存在。</translation>
    </message>
    <message>
        <source>The API key contains characters that keys do not have.</source>
        <translation>API 密钥中含有密钥里不会有的字符。</translation>
    </message>
    <message>
        <source>The Chroma server at {address} does not do its work ({reason}).</source>
        <translation>{address} 上的 Chroma 服务器没有正常工作（{reason}）。</translation>
    </message>
    <message>
        <source>The Data Bank is searched by words only.</source>
        <translation>资料库目前只能按词语查找。</translation>
    </message>
    <message>
        <source>The Data Bank is searched by words only: {reason}</source>
        <translation>资料库目前只能按词语查找：{reason}</translation>
    </message>
    <message>
        <source>The JSON text holds more than {count} values.</source>
        <translation>JSON 文本包含的值超过 {count} 个。</translation>
    </message>
    <message>
        <source>The JSON text is broken in line {line}, column {column}: {reason}.</source>
        <translation>JSON 文本在第 {line} 行第 {column} 列有误：{reason}。</translation>
    </message>
    <message>
        <source>The JSON text is larger than {size} MiB.</source>
        <translation>JSON 文本大于 {size} MiB。</translation>
    </message>
    <message>
        <source>The JSON text is nested deeper than {count} levels.</source>
        <translation>JSON 文本的嵌套超过 {count} 层。</translation>
    </message>
    <message>
        <source>The JSON text is not a character card.</source>
        <translation>这段 JSON 文本不是角色卡。</translation>
    </message>
    <message>
        <source>The PNG file does not begin with its header.</source>
        <translation>这个 PNG 文件没有以文件头开始。</translation>
    </message>
    <message>
        <source>The PNG file has more than {count} chunks.</source>
        <translation>这个 PNG 文件的数据块超过 {count} 个。</translation>
    </message>
    <message>
        <source>The PNG file is cut off in the chunk {chunk} at byte {place}.</source>
        <translation>这个 PNG 文件在第 {place} 字节处的数据块 {chunk} 中被截断。</translation>
    </message>
    <message>
        <source>The PNG file is cut off: its end is missing.</source>
        <translation>这个 PNG 文件被截断：缺少结尾。</translation>
    </message>
    <message>
        <source>The PNG file is damaged at byte {place}.</source>
        <translation>这个 PNG 文件在第 {place} 字节处损坏。</translation>
    </message>
    <message>
        <source>The PNG file is damaged: wrong checksum in its chunk {chunk}.</source>
        <translation>这个 PNG 文件已损坏：数据块 {chunk} 的校验和不对。</translation>
    </message>
    <message>
        <source>The PNG file would be larger than {size} MiB; export it as JSON.</source>
        <translation>PNG 文件会大于 {size} MiB；请导出为 JSON。</translation>
    </message>
    <message>
        <source>The PNG image carries no character card.</source>
        <translation>这张 PNG 图片里没有角色卡。</translation>
    </message>
    <message>
        <source>The PNG text &quot;{key}&quot; is larger than {size} MiB.</source>
        <translation>PNG 文本“{key}”大于 {size} MiB。</translation>
    </message>
    <message>
        <source>The PNG text &quot;{key}&quot; is malformed.</source>
        <translation>PNG 文本“{key}”的格式不对。</translation>
    </message>
    <message>
        <source>The account at {host} has no credit left ({status}).</source>
        <translation>{host} 上的账户余额已用完（{status}）。</translation>
    </message>
    <message>
        <source>The address {address} is not one that can be asked.</source>
        <translation>无法向地址 {address} 发出请求。</translation>
    </message>
    <message>
        <source>The card data &quot;{key}&quot; is broken and was passed over: {reason}</source>
        <translation>角色卡数据“{key}”已损坏，已跳过：{reason}</translation>
    </message>
    <message>
        <source>The card data &quot;{key}&quot; is not base64.</source>
        <translation>角色卡数据“{key}”不是 base64 编码。</translation>
    </message>
    <message>
        <source>The card has no name; it is called {name} after its file.</source>
        <translation>这张角色卡没有名字，已按文件名称为 {name}。</translation>
    </message>
    <message>
        <source>The character card is empty.</source>
        <translation>角色卡是空的。</translation>
    </message>
    <message>
        <source>The compressed PNG text &quot;{key}&quot; is cut off.</source>
        <translation>压缩的 PNG 文本“{key}”被截断。</translation>
    </message>
    <message>
        <source>The compressed PNG text &quot;{key}&quot; is damaged.</source>
        <translation>压缩的 PNG 文本“{key}”已损坏。</translation>
    </message>
    <message>
        <source>The connection broke before the reply was complete. What arrived is kept; try again to get a whole reply.</source>
        <translation>回复还没完成，连接就断了。已收到的内容会保留；重试可获得完整的回复。</translation>
    </message>
    <message>
        <source>The data folder cannot be written to.</source>
        <translation>数据文件夹无法写入。</translation>
    </message>
    <message>
        <source>The demo voice is built in and needs no server. It is no language model.</source>
        <translation>演示之声是内置的，不需要服务器。它不是语言模型。</translation>
    </message>
    <message>
        <source>The disk is full; free some space and try again.</source>
        <translation>磁盘已满；请腾出一些空间再试。</translation>
    </message>
    <message>
        <source>The embedding model failed: {reason}</source>
        <translation>嵌入模型出错：{reason}</translation>
    </message>
    <message>
        <source>The embedding server makes vectors of {count} numbers now, not of {before}. Test it again in the preferences.</source>
        <translation>嵌入服务器现在生成的是 {count} 维向量，而不是 {before} 维。请在偏好设置中重新测试。</translation>
    </message>
    <message>
        <source>The embedding server sent a vector without any direction.</source>
        <translation>嵌入服务器发来了一个没有方向的向量。</translation>
    </message>
    <message>
        <source>The embedding source of the present vectors is not there any more.</source>
        <translation>生成现有向量的嵌入来源已不存在。</translation>
    </message>
    <message>
        <source>The embedding source that is chosen is not there any more. Choose another one.</source>
        <translation>所选的嵌入来源已不存在，请另选一个。</translation>
    </message>
    <message>
        <source>The file cannot be read.</source>
        <translation>无法读取此文件。</translation>
    </message>
    <message>
        <source>The file cannot be read: {reason}.</source>
        <translation>无法读取这个文件：{reason}。</translation>
    </message>
    <message>
        <source>The file cannot be written: {reason}.</source>
        <translation>无法写入这个文件：{reason}。</translation>
    </message>
    <message>
        <source>The file is damaged.</source>
        <translation>文件已损坏。</translation>
    </message>
    <message>
        <source>The file is empty.</source>
        <translation>文件是空的。</translation>
    </message>
    <message>
        <source>The file is larger than {size} MiB.</source>
        <translation>文件大于 {size} MiB。</translation>
    </message>
    <message>
        <source>The file is missing.</source>
        <translation>文件不见了。</translation>
    </message>
    <message>
        <source>The file is not there any more.</source>
        <translation>文件已经不在了。</translation>
    </message>
    <message>
        <source>The file was changed or damaged on the disk.</source>
        <translation>文件在磁盘上被改动或损坏了。</translation>
    </message>
    <message>
        <source>The file was written by a newer memdesk. Please update memdesk.</source>
        <translation>这个文件由更新的 memdesk 写成。请更新 memdesk。</translation>
    </message>
    <message>
        <source>The file with the API keys cannot be read: {path}</source>
        <translation>无法读取保存 API 密钥的文件：{path}</translation>
    </message>
    <message>
        <source>The file with the API keys cannot be written: {path}</source>
        <translation>无法写入保存 API 密钥的文件：{path}</translation>
    </message>
    <message>
        <source>The file with the API keys is damaged: {path}. Delete it and enter the keys again.</source>
        <translation>保存 API 密钥的文件已损坏：{path}。请删除它，然后重新输入密钥。</translation>
    </message>
    <message>
        <source>The file would be larger than {size} MiB.</source>
        <translation>文件会超过 {size} MiB。</translation>
    </message>
    <message>
        <source>The machine at {address} cannot be reached. Check that it is on and in the same network.</source>
        <translation>无法连接到 {address} 上的机器。请检查它是否已开机，并在同一网络中。</translation>
    </message>
    <message>
        <source>The model file {path} cannot be read: {reason}</source>
        <translation>无法读取模型文件 {path}：{reason}</translation>
    </message>
    <message>
        <source>The model file {path} is missing.</source>
        <translation>模型文件 {path} 不见了。</translation>
    </message>
    <message>
        <source>The model returned numbers that are not finite.</source>
        <translation>模型返回了非有限的数值。</translation>
    </message>
    <message>
        <source>The model wrote for {other} instead of {name}, so nothing was kept.</source>
        <translation>模型替{other}说了话，而不是{name}，所以没有保留任何内容。</translation>
    </message>
    <message>
        <source>The model “{model}” is there.</source>
        <translation>模型“{model}”可用。</translation>
    </message>
    <message>
        <source>The name has {count} characters and was shortened to {most}; the original is kept.</source>
        <translation>名称有 {count} 个字符，已截短为 {most} 个；原名仍保留。</translation>
    </message>
    <message>
        <source>The name was cleaned of line breaks, double blanks or invisible characters; the original is kept.</source>
        <translation>已清除名称中的换行、连续空格或不可见字符；原名仍保留。</translation>
    </message>
    <message>
        <source>The path of the address is wrong. This one works: {address}</source>
        <translation>地址的路径不对。这个可以用：{address}</translation>
    </message>
    <message>
        <source>The picture could not be used: {reason}</source>
        <translation>无法使用这张图片：{reason}</translation>
    </message>
    <message>
        <source>The picture has too many pixels; at most {most} are read.</source>
        <translation>图片的像素太多；最多读取 {most} 像素。</translation>
    </message>
    <message>
        <source>The picture has {width} × {height} pixels; at most {most} are read.</source>
        <translation>图片有 {width} × {height} 像素；最多读取 {most} 像素。</translation>
    </message>
    <message>
        <source>The picture is damaged and cannot be shown.</source>
        <translation>图片已损坏，无法显示。</translation>
    </message>
    <message>
        <source>The prompt does not fit: about {needed} tokens must be sent and there is room for {room}. Shorten one of these, or choose a larger context or a shorter reply: {largest}.</source>
        <translation>提示词放不下：必须发送约 {needed} token，而只放得下 {room}。请缩短其中一项，或选择更大的上下文或更短的回复：{largest}。</translation>
    </message>
    <message>
        <source>The prompt is longer than the model’s context. Lower the context size of this connection to what the server has, or start the server with a larger context.</source>
        <translation>提示词比模型的上下文还长。请把这个连接的上下文大小降到服务器的实际大小，或用更大的上下文启动服务器。</translation>
    </message>
    <message>
        <source>The reply grew beyond {count} characters and was ended. Lower the reply length, or add a stop text: the model does not find an end by itself.</source>
        <translation>回复超过 {count} 个字符，已被终止。请减小回复长度，或添加停止文本：这个模型自己停不下来。</translation>
    </message>
    <message>
        <source>The request could not be sent. Check the address, the key and the extra fields of this connection.</source>
        <translation>无法发送请求。请检查这个连接的地址、密钥和附加字段。</translation>
    </message>
    <message>
        <source>The search index did not answer within {seconds} seconds.</source>
        <translation>搜索索引在 {seconds} 秒内没有响应。</translation>
    </message>
    <message>
        <source>The search index is being rebuilt.</source>
        <translation>正在重建搜索索引。</translation>
    </message>
    <message>
        <source>The search index is closed.</source>
        <translation>搜索索引已关闭。</translation>
    </message>
    <message>
        <source>The search index {path} cannot be written ({reason}).</source>
        <translation>无法写入搜索索引 {path}（{reason}）。</translation>
    </message>
    <message>
        <source>The search index {path} does not work ({reason}).</source>
        <translation>搜索索引 {path} 无法工作（{reason}）。</translation>
    </message>
    <message>
        <source>The server accepted a request, but its reply was empty.</source>
        <translation>服务器接受了请求，但回复是空的。</translation>
    </message>
    <message>
        <source>The server accepts the key.</source>
        <translation>服务器接受这个密钥。</translation>
    </message>
    <message>
        <source>The server asks for no key.</source>
        <translation>服务器不要求密钥。</translation>
    </message>
    <message>
        <source>The server at {address} closed the connection without an answer. It may have stopped, or be another kind of server: look at its log.</source>
        <translation>{address} 上的服务器没有回应就关闭了连接。它可能已停止，或是别的类型的服务器：请查看它的日志。</translation>
    </message>
    <message>
        <source>The server at {address} failed ({status}). It may be loading the model, or out of memory: try again in a moment, or look at its log.</source>
        <translation>{address} 上的服务器出错（{status}）。它可能正在加载模型，或内存不足：请稍后重试，或查看它的日志。</translation>
    </message>
    <message>
        <source>The server at {address} sends requests on to another address ({target}). Put that address into the connection.</source>
        <translation>{address} 上的服务器把请求转到了另一个地址（{target}）。请把那个地址填入连接。</translation>
    </message>
    <message>
        <source>The server at {address} sends requests on to another address. Put that address into the connection.</source>
        <translation>{address} 上的服务器把请求转到了另一个地址。请把那个地址填入连接。</translation>
    </message>
    <message>
        <source>The server at {address} sent nothing for {seconds} seconds. It may still be loading the model or reading a long prompt: try again, or raise the time limit of this connection.</source>
        <translation>{address} 上的服务器 {seconds} 秒内没有发来任何内容。它可能还在加载模型，或在读取很长的提示词：请重试，或提高这个连接的时间限制。</translation>
    </message>
    <message>
        <source>The server at {host} answered with nothing. Try again, or look at its log.</source>
        <translation>{host} 上的服务器回了空内容。请重试，或查看它的日志。</translation>
    </message>
    <message>
        <source>The server at {host} does not have the model asked for. Choose one from its list, or load it there first.</source>
        <translation>{host} 上的服务器没有所请求的模型。请从它的列表中选择一个，或先在那里加载。</translation>
    </message>
    <message>
        <source>The server at {host} does not have the model “{model}”. Choose one from its list, or load it there first.</source>
        <translation>{host} 上的服务器没有模型“{model}”。请从它的列表中选择一个，或先在那里加载。</translation>
    </message>
    <message>
        <source>The server at {host} gave up waiting ({status}). Try again.</source>
        <translation>{host} 上的服务器等待超时（{status}）。请重试。</translation>
    </message>
    <message>
        <source>The server at {host} refuses this request ({status}). The key may lack the permission.</source>
        <translation>{host} 上的服务器拒绝了这个请求（{status}）。密钥可能没有相应权限。</translation>
    </message>
    <message>
        <source>The server at {host} takes no more requests for now (429). Wait a moment and try again.</source>
        <translation>{host} 上的服务器暂时不再接受请求（429）。请稍等片刻再试。</translation>
    </message>
    <message>
        <source>The server at {host} takes no more requests for now (429). Wait {seconds} s and try again.</source>
        <translation>{host} 上的服务器暂时不再接受请求（429）。请等待 {seconds} 秒再试。</translation>
    </message>
    <message>
        <source>The server at {host} wants a valid API key. Enter the key of this connection again.</source>
        <translation>{host} 上的服务器需要有效的 API 密钥。请重新输入这个连接的密钥。</translation>
    </message>
    <message>
        <source>The server did not accept the request ({status}).</source>
        <translation>服务器没有接受这个请求（{status}）。</translation>
    </message>
    <message>
        <source>The server does not have the model “{model}”. It has: {names} and {count} more.</source>
        <translation>服务器没有模型“{model}”。它有：{names}，另有 {count} 个。</translation>
    </message>
    <message>
        <source>The server does not have the model “{model}”. It has: {names}.</source>
        <translation>服务器没有模型“{model}”。它有：{names}。</translation>
    </message>
    <message>
        <source>The server does not have the model “{model}”. Load or download one there first.</source>
        <translation>服务器没有模型“{model}”。请先在那里加载或下载一个。</translation>
    </message>
    <message>
        <source>The server does not say how large its context is.</source>
        <translation>服务器没有告知它的上下文有多大。</translation>
    </message>
    <message>
        <source>The server reported an error while it wrote the reply. What arrived is kept.</source>
        <translation>服务器在生成回复时报告了错误。已收到的内容会保留。</translation>
    </message>
    <message>
        <source>The server sent something that is not a readable reply. What arrived before is kept; if it happens again, update the server or look at its log.</source>
        <translation>服务器发来的内容不是可以读取的回复。此前收到的内容会保留；如果再次发生，请更新服务器或查看它的日志。</translation>
    </message>
    <message>
        <source>The server&apos;s answer to a request for vectors cannot be used. Nothing of it was kept.</source>
        <translation>服务器返回的向量无法使用，没有保留其中任何内容。</translation>
    </message>
    <message>
        <source>The server&apos;s context of {size} tokens is large enough for {wanted}.</source>
        <translation>服务器的上下文为 {size} token，足够容纳 {wanted}。</translation>
    </message>
    <message>
        <source>The settings could not be read ({reason}). They were moved to {path}.</source>
        <translation>无法读取设置（{reason}）。已把它们移到 {path}。</translation>
    </message>
    <message>
        <source>The text &quot;{key}&quot; is larger than {size} MiB; export it as JSON.</source>
        <translation>文本“{key}”大于 {size} MiB；请导出为 JSON。</translation>
    </message>
    <message>
        <source>The text is not valid Unicode at byte {place}.</source>
        <translation>文本在第 {place} 字节处不是有效的 Unicode。</translation>
    </message>
    <message>
        <source>The tokenizer cannot be loaded: {reason}</source>
        <translation>无法加载分词器：{reason}</translation>
    </message>
    <message>
        <source>The tokenizer file {path} cannot be read: {reason}</source>
        <translation>无法读取分词器文件 {path}：{reason}</translation>
    </message>
    <message>
        <source>The tokenizer file {path} is missing.</source>
        <translation>分词器文件 {path} 不见了。</translation>
    </message>
    <message>
        <source>The vector index cannot be used; every vector was compared instead.</source>
        <translation>向量索引无法使用；已改为逐个比对所有向量。</translation>
    </message>
    <message>
        <source>There are no messages {first} to {last}: this chat has {count}.</source>
        <translation>没有第 {first} 到 {last} 条消息：这个聊天共有 {count} 条。</translation>
    </message>
    <message>
        <source>There are no pages in it.</source>
        <translation>里面没有任何页面。</translation>
    </message>
    <message>
        <source>There are no personas to export.</source>
        <translation>没有可以导出的用户角色。</translation>
    </message>
    <message>
        <source>There is no character {id}.</source>
        <translation>没有角色 {id}。</translation>
    </message>
    <message>
        <source>There is no chat service at {address} ({status}). Check the path; most servers end in /v1.</source>
        <translation>{address} 上没有聊天服务（{status}）。请检查路径；多数服务器的地址以 /v1 结尾。</translation>
    </message>
    <message>
        <source>There is no chat {id}.</source>
        <translation>没有聊天 {id}。</translation>
    </message>
    <message>
        <source>There is no embedding service at {address} ({status}). Check the path; most servers end in /v1, and some must be started with embeddings switched on.</source>
        <translation>{address} 上没有嵌入服务（{status}）。请检查路径；大多数服务器以 /v1 结尾，有些需要在启动时打开嵌入功能。</translation>
    </message>
    <message>
        <source>There is no file {number} in the Data Bank.</source>
        <translation>资料库里没有编号为 {number} 的文件。</translation>
    </message>
    <message>
        <source>There is no persona {id}.</source>
        <translation>没有用户角色 {id}。</translation>
    </message>
    <message>
        <source>There is no text in it.</source>
        <translation>里面没有文字。</translation>
    </message>
    <message>
        <source>There is not enough memory to read the file.</source>
        <translation>内存不足，无法读取这个文件。</translation>
    </message>
    <message>
        <source>There is nothing to continue yet: write the reply anew.</source>
        <translation>还没有可以续写的内容：请重新生成回复。</translation>
    </message>
    <message>
        <source>There is nothing to send: the message is blank.</source>
        <translation>没有可发送的内容：消息是空白的。</translation>
    </message>
    <message>
        <source>There is nothing to split here: both parts need text.</source>
        <translation>这里无法拆分：两部分都要有文字。</translation>
    </message>
    <message>
        <source>There is too much text in it: divide it into smaller files.</source>
        <translation>文字太多：请把它分成几个较小的文件。</translation>
    </message>
    <message>
        <source>This chat has no character who could reply.</source>
        <translation>这个聊天里没有可以回复的角色。</translation>
    </message>
    <message>
        <source>This chat has no memories to export.</source>
        <translation>这个聊天没有可导出的记忆。</translation>
    </message>
    <message>
        <source>This connection uses a context of {wanted} tokens, but the server has {size}. Set it to {size}, or start the server with more; otherwise it forgets or refuses long prompts.</source>
        <translation>这个连接使用 {wanted} token 的上下文，而服务器只有 {size}。请把它设为 {size}，或用更大的上下文启动服务器；否则它会遗忘或拒绝较长的提示词。</translation>
    </message>
    <message>
        <source>This file holds no personas.</source>
        <translation>这个文件里没有用户角色。</translation>
    </message>
    <message>
        <source>This file holds no preset.</source>
        <translation>这个文件里没有预设。</translation>
    </message>
    <message>
        <source>This is a GIF image, which carries no card; character cards are PNG or JSON files.</source>
        <translation>这是 GIF 图片，里面不会有角色卡；角色卡是 PNG 或 JSON 文件。</translation>
    </message>
    <message>
        <source>This is a JPEG image, which carries no card; character cards are PNG or JSON files.</source>
        <translation>这是 JPEG 图片，里面不会有角色卡；角色卡是 PNG 或 JSON 文件。</translation>
    </message>
    <message>
        <source>This is a PDF document; character cards are PNG or JSON files.</source>
        <translation>这是 PDF 文档；角色卡是 PNG 或 JSON 文件。</translation>
    </message>
    <message>
        <source>This is a WebP image, which carries no card; character cards are PNG or JSON files.</source>
        <translation>这是 WebP 图片，里面不会有角色卡；角色卡是 PNG 或 JSON 文件。</translation>
    </message>
    <message>
        <source>This is a ZIP archive; character cards are PNG or JSON files.</source>
        <translation>这是 ZIP 压缩包；角色卡是 PNG 或 JSON 文件。</translation>
    </message>
    <message>
        <source>This is being written just now. Stop it first, or wait for its end.</source>
        <translation>这条消息正在生成。请先停止，或等它写完。</translation>
    </message>
    <message>
        <source>This is neither a PNG nor a JSON file.</source>
        <translation>这既不是 PNG 文件，也不是 JSON 文件。</translation>
    </message>
    <message>
        <source>This is no picture that can be shown; use PNG, JPEG, WebP or GIF.</source>
        <translation>这不是可以显示的图片；请使用 PNG、JPEG、WebP 或 GIF。</translation>
    </message>
    <message>
        <source>This is no text, whatever its name says.</source>
        <translation>不管文件名怎么写，它都不是文本。</translation>
    </message>
    <message>
        <source>This is not a PNG file.</source>
        <translation>这不是 PNG 文件。</translation>
    </message>
    <message>
        <source>This is not a file of memories from memdesk.</source>
        <translation>这不是 memdesk 的记忆文件。</translation>
    </message>
    <message>
        <source>This is not a file.</source>
        <translation>这不是文件。</translation>
    </message>
    <message>
        <source>This is the only version. Delete the message instead.</source>
        <translation>这是唯一的版本。要去掉它，请删除整条消息。</translation>
    </message>
    <message>
        <source>This kind of file is not supported.</source>
        <translation>不支持这种文件。</translation>
    </message>
    <message>
        <source>This message is hidden from the model. Show it again first.</source>
        <translation>这条消息对模型隐藏了。请先恢复显示。</translation>
    </message>
    <message>
        <source>This model does not tell sentences that belong together from others.</source>
        <translation>这个模型分不清相关的句子和无关的句子。</translation>
    </message>
    <message>
        <source>This preset was written by a newer memdesk. Please update memdesk.</source>
        <translation>这个预设由更新版本的 memdesk 写成。请更新 memdesk。</translation>
    </message>
    <message>
        <source>Unknown card version {version}: read as V3.</source>
        <translation>未知的角色卡版本 {version}：已按 V3 读取。</translation>
    </message>
    <message>
        <source>Vectors of another length are in the search index ({reason}).</source>
        <translation>搜索索引中的向量长度不同（{reason}）。</translation>
    </message>
    <message>
        <source>What answers at {address} does not speak http. If the server uses TLS, begin the address with https://.</source>
        <translation>{address} 上的程序不使用 http。如果服务器使用 TLS，请让地址以 https:// 开头。</translation>
    </message>
    <message>
        <source>What answers at {address} is not an OpenAI-compatible server. Check the address; most servers end in /v1.</source>
        <translation>{address} 上的程序不是兼容 OpenAI 的服务器。请检查地址；多数服务器的地址以 /v1 结尾。</translation>
    </message>
    <message>
        <source>{name} is in the Data Bank already, as “{other}”.</source>
        <translation>{name} 已经在资料库里了，名为“{other}”。</translation>
    </message>
    <message>
        <source>{path} could not be used: {reason}</source>
        <translation>无法使用 {path}：{reason}</translation>
    </message>
    <message>
        <source>{path} does not work: {reason}</source>
        <translation>{path} 无法工作：{reason}</translation>
    </message>
    <message>
        <source>{path} is another kind of model: it takes {inputs}.</source>
        <translation>{path} 是另一种模型：它的输入是 {inputs}。</translation>
    </message>
    <message>
        <source>{path} is damaged ({reason}). The newest backup is {backup}. Close memdesk, put a copy of the backup in the place of {name}, and delete {name}-wal if it is there.</source>
        <translation>{path} 已损坏（{reason}）。最新的备份是 {backup}。请关闭 memdesk，用这个备份的副本替换 {name}；如果有 {name}-wal，请把它删除。</translation>
    </message>
    <message>
        <source>{path} is damaged ({reason}). There is no backup of it.</source>
        <translation>{path} 已损坏（{reason}）。它没有备份。</translation>
    </message>
    <message>
        <source>{path} makes vectors of shape {shape}, not of {count} numbers.</source>
        <translation>{path} 生成的向量形状为 {shape}，而不是 {count} 个数。</translation>
    </message>
    <message>
        <source>“{model}” is not in the server&apos;s list, but a request for it works.</source>
        <translation>“{model}”不在服务器的列表中，但请求可以成功。</translation>
    </message>
    <message>
        <source>“{model}” is not in the server&apos;s list, but a request for it works; the server answers as “{answered}”.</source>
        <translation>“{model}”不在服务器的列表中，但请求可以成功；服务器以“{answered}”的名义作答。</translation>
    </message>
</context>
<context>
    <name>LibraryPanel</name>
    <message>
        <source>Characters</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>聊天</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Import files…</source>
        <translation>导入文件…</translation>
    </message>
    <message>
        <source>New character…</source>
        <translation>新建角色…</translation>
    </message>
    <message>
        <source>New or import</source>
        <translation>新建或导入</translation>
    </message>
    <message>
        <source>No chats yet. Choose a character to begin one.</source>
        <translation>还没有聊天。选择一个角色开始吧。</translation>
    </message>
    <message>
        <source>Nothing is called that.</source>
        <translation>没有叫这个名字的。</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>重命名…</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search chats and characters</source>
        <translation>搜索聊天和角色</translation>
    </message>
    <message>
        <source>Show %1</source>
        <translation>显示%1</translation>
    </message>
</context>
<context>
    <name>Macros</name>
    <message>
        <source>A line break.</source>
        <translation>换行。</translation>
    </message>
    <message>
        <source>Adds a number to a variable, or puts a text behind it.</source>
        <translation>给变量加上一个数，或在其后接上一段文字。</translation>
    </message>
    <message>
        <source>All characters of a group; the character where there is only one.</source>
        <translation>群聊中的所有角色；只有一个角色时就是该角色。</translation>
    </message>
    <message>
        <source>Counts a variable up or down by 1, and is its new value.</source>
        <translation>将变量加 1 或减 1，结果为其新值。</translation>
    </message>
    <message>
        <source>Date and time, written as you like.</source>
        <translation>按你的格式书写的日期和时间。</translation>
    </message>
    <message>
        <source>How far two times are apart.</source>
        <translation>两个时间相差多久。</translation>
    </message>
    <message>
        <source>How long you were silent before your last message.</source>
        <translation>你上一条消息之前沉默了多久。</translation>
    </message>
    <message>
        <source>In a card&apos;s own prompts: the preset&apos;s prompt that it stands in for.</source>
        <translation>用在角色卡自带的提示词中：表示被它取代的预设提示词。</translation>
    </message>
    <message>
        <source>Nothing; for notes to yourself.</source>
        <translation>没有内容；供你自己做备注。</translation>
    </message>
    <message>
        <source>One of several, always the same in this chat and at this place.</source>
        <translation>从几项中选一项，在此聊天的同一位置始终不变。</translation>
    </message>
    <message>
        <source>One of several, chosen anew for each prompt.</source>
        <translation>从几项中选一项，每次提示词都重新选择。</translation>
    </message>
    <message>
        <source>Sets a variable of this chat, and is nothing itself.</source>
        <translation>设置此聊天的变量，本身没有内容。</translation>
    </message>
    <message>
        <source>Takes away itself and the line breaks around it.</source>
        <translation>去掉自身及其前后的换行。</translation>
    </message>
    <message>
        <source>The character who replies; &lt;BOT&gt; and &lt;CHAR&gt; mean the same.</source>
        <translation>回复的角色；尖括号的旧式写法含义相同。</translation>
    </message>
    <message>
        <source>The character, or in a group all of them.</source>
        <translation>角色；在群聊中为所有角色。</translation>
    </message>
    <message>
        <source>The date on this computer.</source>
        <translation>本机的日期。</translation>
    </message>
    <message>
        <source>The day of the week.</source>
        <translation>星期几。</translation>
    </message>
    <message>
        <source>The description of your persona.</source>
        <translation>你的用户角色描述。</translation>
    </message>
    <message>
        <source>The description on the character&apos;s card.</source>
        <translation>角色卡上的描述。</translation>
    </message>
    <message>
        <source>The example messages on the card.</source>
        <translation>角色卡上的示例消息。</translation>
    </message>
    <message>
        <source>The last message of a character.</source>
        <translation>角色的最后一条消息。</translation>
    </message>
    <message>
        <source>The last message.</source>
        <translation>最后一条消息。</translation>
    </message>
    <message>
        <source>The number of the last message.</source>
        <translation>最后一条消息的编号。</translation>
    </message>
    <message>
        <source>The personality on the card.</source>
        <translation>角色卡上的性格。</translation>
    </message>
    <message>
        <source>The scenario of the chat, or that on the card.</source>
        <translation>此聊天的情景，或角色卡上的情景。</translation>
    </message>
    <message>
        <source>The sum of dice.</source>
        <translation>掷骰子的总和。</translation>
    </message>
    <message>
        <source>The summaries of this chat that are switched on.</source>
        <translation>这个聊天中已启用的摘要。</translation>
    </message>
    <message>
        <source>The time at an offset from UTC.</source>
        <translation>与世界标准时间相差若干小时的时间。</translation>
    </message>
    <message>
        <source>The time on this computer.</source>
        <translation>本机的时间。</translation>
    </message>
    <message>
        <source>The value of a variable of this chat.</source>
        <translation>此聊天中变量的值。</translation>
    </message>
    <message>
        <source>The version that the card says it is.</source>
        <translation>角色卡注明的版本。</translation>
    </message>
    <message>
        <source>Variables of all chats: “global” stands before “var” in every one of these macros.</source>
        <translation>所有聊天共用的变量；上面每个变量宏都有这样的写法。</translation>
    </message>
    <message>
        <source>What you are writing.</source>
        <translation>你正在输入的内容。</translation>
    </message>
    <message>
        <source>Your last message.</source>
        <translation>你的最后一条消息。</translation>
    </message>
    <message>
        <source>Your name: that of the persona you play.</source>
        <translation>你的名字，即你所扮演的用户角色的名字。</translation>
    </message>
</context>
<context>
    <name>MacrosDialog</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Double-click or press Enter to copy a macro.</source>
        <translation>双击或按回车键即可复制宏。</translation>
    </message>
    <message>
        <source>Macro</source>
        <translation>宏</translation>
    </message>
    <message>
        <source>Macros</source>
        <translation>宏</translation>
    </message>
    <message>
        <source>Macros work in cards, personas, presets and the author&apos;s note. Upper and lower case are the same; what is no macro stays as it is written. Variables change when a reply has come.</source>
        <translation>宏可用于角色卡、用户角色、预设和作者注释，不区分大小写；不是宏的内容保持原样。收到回复后变量才会改变。</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>当前结果</translation>
    </message>
    <message>
        <source>Open a chat to see what macros give in it.</source>
        <translation>打开一个聊天，即可查看宏在其中的结果。</translation>
    </message>
    <message>
        <source>Try it</source>
        <translation>试一试</translation>
    </message>
    <message>
        <source>What it is</source>
        <translation>含义</translation>
    </message>
    <message>
        <source>What the model would read</source>
        <translation>模型将读到的内容</translation>
    </message>
    <message>
        <source>Write a text with macros; what the model would read appears below.</source>
        <translation>写一段带宏的文字，下方会显示模型将读到的内容。</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>About memdesk</source>
        <translation>关于 memdesk</translation>
    </message>
    <message>
        <source>Chat settings…</source>
        <translation>聊天设置…</translation>
    </message>
    <message>
        <source>Connections…</source>
        <translation>连接…</translation>
    </message>
    <message>
        <source>Delete chat</source>
        <translation>删除聊天</translation>
    </message>
    <message>
        <source>Edit character…</source>
        <translation>编辑角色…</translation>
    </message>
    <message>
        <source>Export memories…</source>
        <translation>导出记忆…</translation>
    </message>
    <message>
        <source>Find a command…</source>
        <translation>查找命令…</translation>
    </message>
    <message>
        <source>Find a model on this computer…</source>
        <translation>在本机寻找模型…</translation>
    </message>
    <message>
        <source>Find in this chat</source>
        <translation>在此聊天中查找</translation>
    </message>
    <message>
        <source>Generate a summary…</source>
        <translation>生成摘要…</translation>
    </message>
    <message>
        <source>Import files…</source>
        <translation>导入文件…</translation>
    </message>
    <message>
        <source>Import memories…</source>
        <translation>导入记忆…</translation>
    </message>
    <message>
        <source>Keys…</source>
        <translation>快捷键…</translation>
    </message>
    <message>
        <source>Macros…</source>
        <translation>宏…</translation>
    </message>
    <message>
        <source>Make the memories of this chat anew</source>
        <translation>重建此聊天的记忆</translation>
    </message>
    <message>
        <source>Memories</source>
        <translation>记忆</translation>
    </message>
    <message>
        <source>Moved to the trash: %1</source>
        <translation>已移到回收站：%1</translation>
    </message>
    <message>
        <source>New character…</source>
        <translation>新建角色…</translation>
    </message>
    <message>
        <source>New chat with this character</source>
        <translation>与这个角色开始新聊天</translation>
    </message>
    <message>
        <source>Panel: %1</source>
        <translation>面板：%1</translation>
    </message>
    <message>
        <source>Preferences…</source>
        <translation>偏好设置…</translation>
    </message>
    <message>
        <source>Presets…</source>
        <translation>预设…</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Recall settings…</source>
        <translation>记忆召回设置…</translation>
    </message>
    <message>
        <source>Regenerate the last reply</source>
        <translation>重新生成最后一条回复</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>重命名…</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search chats and characters</source>
        <translation>搜索聊天和角色</translation>
    </message>
    <message>
        <source>Search the messages of all chats</source>
        <translation>搜索所有聊天的消息</translation>
    </message>
    <message>
        <source>Show or hide chats</source>
        <translation>显示或隐藏聊天列表</translation>
    </message>
    <message>
        <source>Show or hide panels</source>
        <translation>显示或隐藏面板</translation>
    </message>
    <message>
        <source>Show pictures from this computer in this chat, or hide them</source>
        <translation>在此聊天中显示或隐藏本机图片</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>That chat is not there any more.</source>
        <translation>那个聊天已经不在了。</translation>
    </message>
    <message>
        <source>Trash…</source>
        <translation>回收站…</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Undone.</source>
        <translation>已撤销。</translation>
    </message>
    <message>
        <source>Write a summary…</source>
        <translation>撰写摘要…</translation>
    </message>
</context>
<context>
    <name>MemberButton</name>
    <message>
        <source>Click to let this member reply.</source>
        <translation>点击让这个成员回复。</translation>
    </message>
    <message>
        <source>In the trash: does not reply.</source>
        <translation>在回收站中：不会回复。</translation>
    </message>
    <message>
        <source>Muted: replies only when you click here.</source>
        <translation>已静音：只在你点击时回复。</translation>
    </message>
    <message>
        <source>No name</source>
        <translation>无名</translation>
    </message>
    <message>
        <source>Writing…</source>
        <translation>正在写…</translation>
    </message>
</context>
<context>
    <name>MemoriesPanel</name>
    <message>
        <source>1 memory</source>
        <translation>1 条记忆</translation>
    </message>
    <message>
        <source>All memories of this chat together, estimated. Only a few are sent with each reply.</source>
        <translation>这个聊天的全部记忆合计（估算）。每次回复只会发送其中几条。</translation>
    </message>
    <message>
        <source>By the time of the story, or by tokens</source>
        <translation>按故事时间，或按 token 数</translation>
    </message>
    <message>
        <source>Clear the search</source>
        <translation>清除搜索</translation>
    </message>
    <message>
        <source>Each message becomes a memory a moment after it is written. When the chat grows longer than the model can read, the memories that fit are sent again with each reply. Write the first message to see one appear.</source>
        <translation>每条消息写下片刻之后就会成为记忆。当聊天长到模型读不下时，合适的记忆会随每次回复重新发送。写下第一条消息，就能看到记忆出现。</translation>
    </message>
    <message>
        <source>Every five messages become one memory as soon as they are written. When the chat grows longer than the model can read, the memories that fit are sent again with each reply.</source>
        <translation>每满五条消息就会合成一条记忆。当聊天长到模型读不完时，与当前内容相关的记忆会随每次回复再次发送。</translation>
    </message>
    <message>
        <source>Known at a message</source>
        <translation>某条消息时的记忆</translation>
    </message>
    <message>
        <source>Largest</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>Look again at all messages</source>
        <translation>重新查看所有消息</translation>
    </message>
    <message>
        <source>Memories</source>
        <translation>记忆</translation>
    </message>
    <message>
        <source>Memory Recall is off in this chat: nothing is sent. Remembering goes on.</source>
        <translation>这个聊天的记忆召回已关闭：不会发送任何记忆。记忆仍会继续积累。</translation>
    </message>
    <message>
        <source>Newest</source>
        <translation>最新</translation>
    </message>
    <message>
        <source>No chat is open</source>
        <translation>没有打开的聊天</translation>
    </message>
    <message>
        <source>No memory of this chat matches the search and the filter.</source>
        <translation>这个聊天中没有符合搜索和筛选条件的记忆。</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>没有找到</translation>
    </message>
    <message>
        <source>Nothing to remember yet</source>
        <translation>还没有可以记住的内容</translation>
    </message>
    <message>
        <source>Oldest</source>
        <translation>最旧</translation>
    </message>
    <message>
        <source>Open a chat, and what memdesk remembers of it appears here.</source>
        <translation>打开一个聊天，memdesk 记住的内容会显示在这里。</translation>
    </message>
    <message>
        <source>Pieces of this chat that can be found again: each message, split near 400 characters.</source>
        <translation>这个聊天中可以再次找到的记忆块：每条消息一块，较长的约每 400 个字符拆开。</translation>
    </message>
    <message>
        <source>Pieces of this chat that can be found again: five messages in a row each. The newest ones wait until there are five.</source>
        <translation>这个聊天中可以再次找到的片段：每五条连续消息一条。最新的几条会等到凑满五条。</translation>
    </message>
    <message>
        <source>Run the reply again</source>
        <translation>重新生成这条回复</translation>
    </message>
    <message>
        <source>Say anything</source>
        <translation>随便说一句</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search memories</source>
        <translation>搜索记忆</translation>
    </message>
    <message>
        <source>See what a reply at any message of the chat would know.</source>
        <translation>查看写到任意一条消息时，回复能知道些什么。</translation>
    </message>
    <message>
        <source>Show all memories</source>
        <translation>显示全部记忆</translation>
    </message>
    <message>
        <source>Sort memories</source>
        <translation>记忆排序</translation>
    </message>
    <message>
        <source>The embedding model is missing or cannot be used.</source>
        <translation>嵌入模型缺失或无法使用。</translation>
    </message>
    <message>
        <source>Try recall</source>
        <translation>试试召回</translation>
    </message>
    <message>
        <source>Try recall with</source>
        <translation>用这句话试试召回</translation>
    </message>
    <message>
        <source>Type anything and see what would be recalled, and why.</source>
        <translation>随便输入一句话，看看会召回什么，以及为什么。</translation>
    </message>
    <message>
        <source>What would be recalled?</source>
        <translation>会召回什么？</translation>
    </message>
    <message>
        <source>Write a line above, as if it were the next message. The memories that fit appear at once, each with its score and with what speaks for it or against it.</source>
        <translation>在上面写一句话，就当它是下一条消息。相符的记忆会立刻出现，每条都带有分数，以及支持或反对它的理由。</translation>
    </message>
    <message>
        <source>Write the reply whose memories are shown once more, with the memories as they are now.</source>
        <translation>用现在的记忆，把正在显示其记忆的那条回复再写一次。</translation>
    </message>
    <message>
        <source>considered for reply #{0}</source>
        <translation>为回复 #{0} 考虑过</translation>
    </message>
    <message>
        <source>considered for the next prompt</source>
        <translation>为下一个提示词考虑过</translation>
    </message>
    <message>
        <source>in reply #{0}</source>
        <translation>回复 #{0}</translation>
    </message>
    <message>
        <source>in the next prompt</source>
        <translation>下一个提示词</translation>
    </message>
    <message>
        <source>in this try</source>
        <translation>这次试召回</translation>
    </message>
    <message>
        <source>{0} Until it works again, recall goes by words; nothing is lost.</source>
        <translation>{0}在它恢复之前，按词语召回；不会丢失任何内容。</translation>
    </message>
    <message>
        <source>{0} memories</source>
        <translation>{0} 条记忆</translation>
    </message>
    <message>
        <source>· ~{0} tokens</source>
        <translation>· ~{0} token</translation>
    </message>
</context>
<context>
    <name>MemoryCarrier</name>
    <message numerus="yes">
        <source>Exported %n memory(s): {file}</source>
        <translation>
            <numerusform>已导出 %n 条记忆：{file}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Imported %n memory chunk(s).</source>
        <translation>
            <numerusform>已导入 %n 条记忆。</numerusform>
        </translation>
    </message>
    <message>
        <source>No new recall memories were imported.</source>
        <translation>没有导入新的记忆。</translation>
    </message>
    <message>
        <source>The vectors were left out: the file would be too large with them.</source>
        <translation>没有附带向量：否则文件会太大。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
</context>
<context>
    <name>MemoryDeeds</name>
    <message>
        <source>Copy text</source>
        <translation>复制文本</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>编辑…</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>忘记</translation>
    </message>
    <message>
        <source>Freeze</source>
        <translation>冻结</translation>
    </message>
    <message>
        <source>Jump to source</source>
        <translation>跳到出处</translation>
    </message>
    <message>
        <source>Merge with the next in the chat</source>
        <translation>与聊天中的下一条合并</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>置顶</translation>
    </message>
    <message>
        <source>Sent with replies ({0})</source>
        <translation>随回复发送过（{0}）</translation>
    </message>
    <message>
        <source>Split in two…</source>
        <translation>拆成两条…</translation>
    </message>
    <message>
        <source>Turn off</source>
        <translation>停用</translation>
    </message>
    <message>
        <source>Turn on</source>
        <translation>启用</translation>
    </message>
    <message>
        <source>Unfreeze</source>
        <translation>解除冻结</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>取消置顶</translation>
    </message>
</context>
<context>
    <name>MemoryEditor</name>
    <message>
        <source>Add a note</source>
        <translation>添加笔记</translation>
    </message>
    <message>
        <source>Add note</source>
        <translation>添加笔记</translation>
    </message>
    <message>
        <source>Back to the original</source>
        <translation>恢复原文</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Changes from the original</source>
        <translation>与原文的差异</translation>
    </message>
    <message>
        <source>Edit memory</source>
        <translation>编辑记忆</translation>
    </message>
    <message>
        <source>Embedded again when it is saved. The original is kept.</source>
        <translation>保存后会重新向量化。原文会保留。</translation>
    </message>
    <message>
        <source>Its message is not in the chat any more. The memory was kept.</source>
        <translation>它的消息已不在聊天中。记忆保留了下来。</translation>
    </message>
    <message>
        <source>Its message says something else by now. The memory was kept as it is.</source>
        <translation>它的消息现在说的是别的内容。记忆保持原样。</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>笔记</translation>
    </message>
    <message>
        <source>Remembered like what was said, though no message says it.</source>
        <translation>和说过的话一样被记住，虽然没有消息这样说。</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Text of the memory</source>
        <translation>记忆的文字</translation>
    </message>
    <message>
        <source>The original</source>
        <translation>原文</translation>
    </message>
</context>
<context>
    <name>MemoryExportDialog</name>
    <message>
        <source>A larger file; where the embedder is the same, nothing has to be embedded again.</source>
        <translation>文件更大；嵌入模型相同时，无需重新嵌入。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Everything, for memdesk</source>
        <translation>全部内容，供 memdesk 使用</translation>
    </message>
    <message>
        <source>Export memories</source>
        <translation>导出记忆</translation>
    </message>
    <message>
        <source>Exporting memories</source>
        <translation>正在导出记忆</translation>
    </message>
    <message>
        <source>For Marinara Engine</source>
        <translation>供 Marinara Engine 使用</translation>
    </message>
    <message>
        <source>Memories</source>
        <translation>记忆</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>另存为…</translation>
    </message>
    <message>
        <source>Text and original text, frozen, pinned, edited, notes, times and sources.</source>
        <translation>文本与原文、冻结、置顶、编辑、笔记、时间和来源。</translation>
    </message>
    <message>
        <source>Text, times and numbers of messages, as its Memory Recall reads them.</source>
        <translation>文本、时间和消息数，格式与其记忆召回所读的相同。</translation>
    </message>
    <message>
        <source>With vectors</source>
        <translation>附带向量</translation>
    </message>
</context>
<context>
    <name>MemoryImport</name>
    <message>
        <source>All files</source>
        <translation>所有文件</translation>
    </message>
    <message>
        <source>Import memories</source>
        <translation>导入记忆</translation>
    </message>
    <message>
        <source>Memories</source>
        <translation>记忆</translation>
    </message>
</context>
<context>
    <name>MemoryImportDialog</name>
    <message numerus="yes">
        <source>%n already here</source>
        <translation>
            <numerusform>%n 条已经在这里</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n bring a vector that fits; the others are embedded in the background.</source>
        <translation>
            <numerusform>%n 条带有合用的向量；其余的将在后台嵌入。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memory(s) will be added: {when}</source>
        <translation>
            <numerusform>将添加 %n 条记忆：{when}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n too long</source>
        <translation>
            <numerusform>%n 条太长</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n will be skipped: {why}</source>
        <translation>
            <numerusform>将跳过 %n 条：{why}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n without text</source>
        <translation>
            <numerusform>%n 条没有文本</numerusform>
        </translation>
    </message>
    <message>
        <source>All bring a vector that fits: recalled by meaning at once.</source>
        <translation>都带有合用的向量：立即可按意思召回。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>Import memories</source>
        <translation>导入记忆</translation>
    </message>
    <message>
        <source>Importing memories</source>
        <translation>正在导入记忆</translation>
    </message>
    <message>
        <source>Importing…</source>
        <translation>正在导入…</translation>
    </message>
    <message>
        <source>Marinara file</source>
        <translation>Marinara 文件</translation>
    </message>
    <message>
        <source>Memories to be added</source>
        <translation>将要添加的记忆</translation>
    </message>
    <message>
        <source>None brings a vector that fits: they are embedded in the background.</source>
        <translation>都没有合用的向量：将在后台嵌入。</translation>
    </message>
    <message>
        <source>Nothing new would be added.</source>
        <translation>没有新的内容可添加。</translation>
    </message>
    <message>
        <source>Nothing was imported.</source>
        <translation>什么也没有导入。</translation>
    </message>
    <message>
        <source>Reading the file…</source>
        <translation>正在读取文件…</translation>
    </message>
    <message>
        <source>Stopped. Nothing was imported.</source>
        <translation>已停止，没有导入任何内容。</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>另有 %n 项</numerusform>
        </translation>
    </message>
    <message>
        <source>memdesk file</source>
        <translation>memdesk 文件</translation>
    </message>
    <message>
        <source>{done} of {total} are ready…</source>
        <translation>已准备好 {done} / {total}…</translation>
    </message>
    <message>
        <source>{kind} with memories of this very chat</source>
        <translation>{kind}，内有这个聊天自己的记忆</translation>
    </message>
    <message>
        <source>{kind} with memories of “{chat}”</source>
        <translation>{kind}，内有“{chat}”的记忆</translation>
    </message>
</context>
<context>
    <name>MemoryModel</name>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>A memory</source>
        <translation>一条记忆</translation>
    </message>
    <message>
        <source>A note</source>
        <translation>一条笔记</translation>
    </message>
    <message>
        <source>Click or press Enter to see its source in the chat.</source>
        <translation>点击或按 Enter，在聊天中查看它的出处。</translation>
    </message>
    <message>
        <source>Edited</source>
        <translation>已编辑</translation>
    </message>
    <message>
        <source>Embedding unavailable</source>
        <translation>无法嵌入</translation>
    </message>
    <message>
        <source>Embedding unavailable: the model does not work at the moment; it is recalled by words.</source>
        <translation>无法嵌入：模型目前无法工作；按词语召回。</translation>
    </message>
    <message>
        <source>Frozen</source>
        <translation>冻结</translation>
    </message>
    <message>
        <source>Imported</source>
        <translation>已导入</translation>
    </message>
    <message>
        <source>Its message says something else by now; the memory was kept as it is.</source>
        <translation>它的消息现在说的是别的内容；记忆保持原样。</translation>
    </message>
    <message>
        <source>Message {0}</source>
        <translation>消息 {0}</translation>
    </message>
    <message>
        <source>Messages {0}–{1}</source>
        <translation>消息 {0}–{1}</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>停用</translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation>置顶</translation>
    </message>
    <message>
        <source>Sent with a reply: {0}, last {1}.</source>
        <translation>随回复发送：{0}，最近一次 {1}。</translation>
    </message>
    <message>
        <source>Source changed</source>
        <translation>出处已更改</translation>
    </message>
    <message>
        <source>Source gone</source>
        <translation>出处已删除</translation>
    </message>
    <message>
        <source>The last try failed: {0}</source>
        <translation>上次尝试失败：{0}</translation>
    </message>
    <message>
        <source>The messages it was made from are not in the chat any more.</source>
        <translation>它所依据的消息已不在聊天中。</translation>
    </message>
    <message>
        <source>The score (0 to 1) adds meaning (likeness to the query), words (shared with it), neighbour (credit from the messages beside it) and speaker (named in the query), each with its weight.</source>
        <translation>得分（0 到 1）由语义（与查询的相似度）、词语（与查询共有的词）、邻近（相邻消息带来的加分）和说话人（查询中提到的人）按各自权重相加。</translation>
    </message>
    <message>
        <source>Tokens are estimated: what it takes in a prompt.</source>
        <translation>token 数为估算值：它在提示词中占用的大小。</translation>
    </message>
    <message>
        <source>Vectorized</source>
        <translation>已向量化</translation>
    </message>
    <message>
        <source>Vectorized: can be recalled by meaning and by words.</source>
        <translation>已向量化：可以按语义和词语召回。</translation>
    </message>
    <message>
        <source>Waiting for vector</source>
        <translation>等待向量化</translation>
    </message>
    <message>
        <source>Waiting for vector: will be embedded in the background; until then it is recalled by words.</source>
        <translation>等待向量化：会在后台完成；在此之前按词语召回。</translation>
    </message>
    <message>
        <source>not sent: {0}</source>
        <translation>未发送：{0}</translation>
    </message>
    <message>
        <source>recalled once</source>
        <translation>召回 1 次</translation>
    </message>
    <message>
        <source>recalled {0} times</source>
        <translation>召回 {0} 次</translation>
    </message>
    <message>
        <source>{0}, {1}</source>
        <translation>{0}，{1}</translation>
    </message>
    <message>
        <source>{0}: {1}</source>
        <translation>{0}：{1}</translation>
    </message>
    <message>
        <source>~{0} tokens</source>
        <translation>~{0} token</translation>
    </message>
</context>
<context>
    <name>MemoryPills</name>
    <message>
        <source>Always sent, as far as they fit.</source>
        <translation>只要放得下，总会发送。</translation>
    </message>
    <message>
        <source>Came from a file.</source>
        <translation>来自文件。</translation>
    </message>
    <message>
        <source>Click to show only these.</source>
        <translation>点击只显示这些。</translation>
    </message>
    <message>
        <source>Have a vector for the current model: recalled by meaning and by words.</source>
        <translation>已有当前模型的向量：按语义和词语召回。</translation>
    </message>
    <message>
        <source>Kept as they are, whatever happens to their messages.</source>
        <translation>无论消息如何变化，都保持原样。</translation>
    </message>
    <message>
        <source>Kept by you, while their messages changed or went.</source>
        <translation>由你保留，而它们的消息已更改或删除。</translation>
    </message>
    <message>
        <source>Kept, but never sent.</source>
        <translation>保留，但从不发送。</translation>
    </message>
    <message>
        <source>Looked at for this prompt: sent, or left out for a reason. {0}</source>
        <translation>为这个提示词考虑过的记忆：已发送，或因故未发送。{0}</translation>
    </message>
    <message>
        <source>Rewritten by you; the originals are kept.</source>
        <translation>由你改写；原文会保留。</translation>
    </message>
    <message>
        <source>The embedding model does not work at the moment; recalled by words only.</source>
        <translation>嵌入模型目前无法工作；只按词语召回。</translation>
    </message>
    <message>
        <source>Will be embedded in the background; until then recalled by words only.</source>
        <translation>会在后台向量化；在此之前只按词语召回。</translation>
    </message>
    <message>
        <source>{0} more considered</source>
        <translation>另考虑过 {0} 条</translation>
    </message>
    <message>
        <source>{0} sent {1}</source>
        <translation>{1}：发送 {0} 条</translation>
    </message>
    <message>
        <source>{0} {1}</source>
        <translation>{1}：{0} 条</translation>
    </message>
</context>
<context>
    <name>MemorySplitter</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Click where the second memory shall begin, or go there with the arrow keys.</source>
        <translation>点一下第二条记忆开始的位置，或用方向键移过去。</translation>
    </message>
    <message>
        <source>First memory</source>
        <translation>第一条记忆</translation>
    </message>
    <message>
        <source>Second memory</source>
        <translation>第二条记忆</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>拆分</translation>
    </message>
    <message>
        <source>Split memory</source>
        <translation>拆分记忆</translation>
    </message>
    <message>
        <source>Text of the memory</source>
        <translation>记忆的文字</translation>
    </message>
</context>
<context>
    <name>MemoryStrip</name>
    <message>
        <source>Memory strip</source>
        <translation>记忆条</translation>
    </message>
    <message>
        <source>Message #{number}: {state}</source>
        <translation>消息 #{number}：{state}</translation>
    </message>
    <message>
        <source>The frame is what the window shows. Click to go there.</source>
        <translation>方框是窗口中显示的部分。点击即可跳转。</translation>
    </message>
    <message>
        <source>green</source>
        <translation>绿色</translation>
    </message>
    <message>
        <source>grey</source>
        <translation>灰色</translation>
    </message>
    <message>
        <source>in the context, sent as it is</source>
        <translation>在上下文中，原样发送</translation>
    </message>
    <message>
        <source>in the memory, can be recalled</source>
        <translation>在记忆中，可以召回</translation>
    </message>
    <message>
        <source>light violet</source>
        <translation>淡紫色</translation>
    </message>
    <message>
        <source>not remembered</source>
        <translation>没有记住</translation>
    </message>
    <message>
        <source>pale</source>
        <translation>浅底色</translation>
    </message>
    <message>
        <source>recalled for this reply</source>
        <translation>为这条回复召回</translation>
    </message>
    <message>
        <source>summarised</source>
        <translation>已写入摘要</translation>
    </message>
    <message>
        <source>the memory is shown as of message #{0}</source>
        <translation>正在显示第 {0} 条消息时的记忆</translation>
    </message>
    <message>
        <source>violet</source>
        <translation>紫色</translation>
    </message>
    <message>
        <source>{colour}: {state}</source>
        <translation>{colour}：{state}</translation>
    </message>
</context>
<context>
    <name>MemoryTimeline</name>
    <message>
        <source>Go to this message</source>
        <translation>转到这条消息</translation>
    </message>
    <message>
        <source>Known at message</source>
        <translation>截至哪条消息</translation>
    </message>
    <message>
        <source>Message number</source>
        <translation>消息编号</translation>
    </message>
    <message>
        <source>The memory as a reply that stands at this message would find it.</source>
        <translation>位于这条消息处的回复所能用到的记忆。</translation>
    </message>
    <message>
        <source>at message {0}</source>
        <translation>第 {0} 条消息时</translation>
    </message>
    <message>
        <source>for the next reply</source>
        <translation>下一条回复时</translation>
    </message>
    <message>
        <source>{0} of them are off.</source>
        <translation>其中 {0} 条已关闭。</translation>
    </message>
    <message>
        <source>{0} of {1} memories are known {2}.</source>
        <translation>{2}已知 {0} / {1} 条记忆。</translation>
    </message>
</context>
<context>
    <name>MemoryTools</name>
    <message>
        <source>Add a memory that no message says.</source>
        <translation>添加一条没有任何消息说过的记忆。</translation>
    </message>
    <message>
        <source>Add a note</source>
        <translation>添加笔记</translation>
    </message>
    <message>
        <source>Add memories from a file; it is shown first what would be added.</source>
        <translation>从文件添加记忆；会先显示将要添加什么。</translation>
    </message>
    <message>
        <source>Clear memories</source>
        <translation>清空记忆</translation>
    </message>
    <message>
        <source>Export memories</source>
        <translation>导出记忆</translation>
    </message>
    <message>
        <source>Export the memories of this chat into a file.</source>
        <translation>把这个聊天的记忆导出到文件。</translation>
    </message>
    <message>
        <source>Import memories</source>
        <translation>导入记忆</translation>
    </message>
    <message>
        <source>Make memories anew from the messages as they are now. What you froze or edited stays.</source>
        <translation>按现在的消息重新生成记忆。你冻结或编辑过的会保留。</translation>
    </message>
    <message>
        <source>Put all memories of this chat into the trash; its messages stay.</source>
        <translation>把这个聊天的全部记忆放进回收站；消息会保留。</translation>
    </message>
    <message>
        <source>Rebuild memories</source>
        <translation>重建记忆</translation>
    </message>
    <message>
        <source>Recall settings</source>
        <translation>记忆召回设置</translation>
    </message>
    <message>
        <source>What a memory is in this chat, how it is found and where it is sent.</source>
        <translation>这个聊天里什么算一条记忆、怎样找到它、放在提示词的哪里。</translation>
    </message>
</context>
<context>
    <name>MemoryUpkeep</name>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>All memories of this chat are in the trash.</source>
        <translation>这个聊天的全部记忆已放进回收站。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清空</translation>
    </message>
    <message>
        <source>Clear Memories</source>
        <translation>清空记忆</translation>
    </message>
    <message>
        <source>Clear all {0} memories of this chat?</source>
        <translation>要清空这个聊天的全部 {0} 条记忆吗？</translation>
    </message>
    <message>
        <source>For 30 days they can be brought back from the trash.</source>
        <translation>30 天内可以从回收站恢复。</translation>
    </message>
    <message>
        <source>Imported memories go too. The messages of the chat are not deleted.</source>
        <translation>导入的记忆也会清空。聊天消息不会被删除。</translation>
    </message>
    <message>
        <source>Making the memories anew</source>
        <translation>正在重建记忆</translation>
    </message>
    <message>
        <source>Memories rebuilt: {0}.</source>
        <translation>记忆已重建：{0}。</translation>
    </message>
    <message>
        <source>Stopped. The memories are as they were.</source>
        <translation>已停止。记忆和之前一样。</translation>
    </message>
    <message>
        <source>The memories are being made anew. What you keep stays.</source>
        <translation>正在重新生成记忆。你保留的不会变。</translation>
    </message>
    <message>
        <source>{0} as they were</source>
        <translation>{0} 条未变</translation>
    </message>
    <message>
        <source>{0} imported are embedded again</source>
        <translation>{0} 条导入的会重新向量化</translation>
    </message>
    <message>
        <source>{0} kept for you</source>
        <translation>{0} 条为你保留</translation>
    </message>
    <message>
        <source>{0} made anew</source>
        <translation>{0} 条重新生成</translation>
    </message>
    <message>
        <source>{0} of them are frozen, pinned, edited or written by you.</source>
        <translation>其中 {0} 条是你冻结、置顶、编辑或亲手写的。</translation>
    </message>
</context>
<context>
    <name>MessageAction</name>
    <message>
        <source>Copy text</source>
        <translation>复制文本</translation>
    </message>
    <message>
        <source>Delete message</source>
        <translation>删除消息</translation>
    </message>
    <message>
        <source>Edit message</source>
        <translation>编辑消息</translation>
    </message>
    <message>
        <source>More actions</source>
        <translation>更多操作</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>重新生成</translation>
    </message>
    <message>
        <source>Show prompt</source>
        <translation>查看提示词</translation>
    </message>
</context>
<context>
    <name>MessageActs</name>
    <message>
        <source>Branch from here</source>
        <translation>从这里分支</translation>
    </message>
    <message>
        <source>Checkpoint here…</source>
        <translation>在此设检查点…</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>续写</translation>
    </message>
    <message>
        <source>Delete from here</source>
        <translation>从这里起全部删除</translation>
    </message>
    <message>
        <source>Delete this version</source>
        <translation>删除这个版本</translation>
    </message>
    <message>
        <source>Hide a range…</source>
        <translation>隐藏一段…</translation>
    </message>
    <message>
        <source>Hide from the model</source>
        <translation>对模型隐藏</translation>
    </message>
    <message>
        <source>Regenerate from here</source>
        <translation>从这里重新生成</translation>
    </message>
    <message>
        <source>Show to the model again</source>
        <translation>让模型重新看到</translation>
    </message>
</context>
<context>
    <name>MessageEditor</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Ctrl+Enter saves · Esc cancels</source>
        <translation>Ctrl+Enter 保存 · Esc 取消</translation>
    </message>
    <message>
        <source>Message text</source>
        <translation>消息文本</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
</context>
<context>
    <name>MessageHead</name>
    <message>
        <source>Message {number}, written {when}.</source>
        <translation>消息 {number}，写于 {when}。</translation>
    </message>
    <message>
        <source>Model: {model}</source>
        <translation>模型：{model}</translation>
    </message>
    <message>
        <source>You</source>
        <translation>你</translation>
    </message>
    <message>
        <source>checkpoint “{name}”</source>
        <translation>检查点“{name}”</translation>
    </message>
    <message>
        <source>hidden from the model</source>
        <translation>对模型隐藏</translation>
    </message>
    <message>
        <source>writing…</source>
        <translation>正在写…</translation>
    </message>
    <message>
        <source>~{count} tokens</source>
        <translation>~{count} token</translation>
    </message>
    <message>
        <source>“~” marks an estimate: the server&apos;s own count may differ a little.</source>
        <translation>“~”表示估算：服务器自己的计数可能略有不同。</translation>
    </message>
</context>
<context>
    <name>MessagePictures</name>
    <message>
        <source>Show all pictures from this computer in this chat</source>
        <translation>在此聊天中显示所有本机图片</translation>
    </message>
    <message>
        <source>Show its pictures from this computer</source>
        <translation>显示其中的本机图片</translation>
    </message>
    <message>
        <source>Show pictures</source>
        <translation>显示图片</translation>
    </message>
    <message>
        <source>Show this picture</source>
        <translation>显示这张图片</translation>
    </message>
</context>
<context>
    <name>MessageWidget</name>
    <message>
        <source>Copy selection</source>
        <translation>复制所选内容</translation>
    </message>
    <message>
        <source>Message actions</source>
        <translation>消息操作</translation>
    </message>
    <message>
        <source>Show all {count} characters</source>
        <translation>显示全部 {count} 个字符</translation>
    </message>
    <message>
        <source>{name}, message {number}</source>
        <translation>{name}，消息 {number}</translation>
    </message>
</context>
<context>
    <name>NoteEditor</name>
    <message>
        <source>1 sends it each time, 3 every third time, 0 never.</source>
        <translation>1 表示每次都发送，3 表示每三次发送一次，0 表示从不发送。</translation>
    </message>
    <message>
        <source>A short reminder for the model: tone, what just changed, what must not be forgotten.</source>
        <translation>给模型的简短提醒：语气、刚发生的变化、不能忘记的事。</translation>
    </message>
    <message>
        <source>Author&apos;s note</source>
        <translation>作者注释</translation>
    </message>
    <message>
        <source>Counted with the bundled tokenizer; an estimate. Macros count as they are written.</source>
        <translation>用内置分词器计算的估计值；宏按原文计算。</translation>
    </message>
    <message>
        <source>Every so many of your messages</source>
        <translation>每隔多少条你的消息</translation>
    </message>
    <message>
        <source>~{0} tokens</source>
        <translation>~{0} token</translation>
    </message>
</context>
<context>
    <name>Openers</name>
    <message>
        <source>All files</source>
        <translation>所有文件</translation>
    </message>
    <message>
        <source>Characters, personas, presets, memories</source>
        <translation>角色、用户角色、预设、记忆</translation>
    </message>
    <message>
        <source>Import files</source>
        <translation>导入文件</translation>
    </message>
</context>
<context>
    <name>Palette</name>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Commands found</source>
        <translation>找到的命令</translation>
    </message>
    <message>
        <source>Find a command</source>
        <translation>查找命令</translation>
    </message>
    <message>
        <source>Nothing is called that.</source>
        <translation>没有叫这个名字的。</translation>
    </message>
    <message>
        <source>Type a command, a chat or a character</source>
        <translation>输入命令、聊天或角色的名称</translation>
    </message>
</context>
<context>
    <name>Parts</name>
    <message>
        <source>After the chat</source>
        <translation>聊天之后</translation>
    </message>
    <message>
        <source>Author&apos;s note</source>
        <translation>作者注释</translation>
    </message>
    <message>
        <source>Character</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>Data Bank</source>
        <translation>资料库</translation>
    </message>
    <message>
        <source>Demo voice (no language model)</source>
        <translation>演示之声（无语言模型）</translation>
    </message>
    <message>
        <source>Depth prompt</source>
        <translation>深度提示词</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>角色描述</translation>
    </message>
    <message>
        <source>Example messages</source>
        <translation>对话示例</translation>
    </message>
    <message>
        <source>Further prompt</source>
        <translation>附加提示词</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>指令</translation>
    </message>
    <message>
        <source>Kept free for the reply</source>
        <translation>为回复预留</translation>
    </message>
    <message>
        <source>Lore</source>
        <translation>世界书</translation>
    </message>
    <message>
        <source>Main prompt</source>
        <translation>主提示词</translation>
    </message>
    <message>
        <source>Memories</source>
        <translation>记忆</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>笔记</translation>
    </message>
    <message>
        <source>Persona</source>
        <translation>用户角色</translation>
    </message>
    <message>
        <source>Personality</source>
        <translation>性格</translation>
    </message>
    <message>
        <source>Scenario</source>
        <translation>情景</translation>
    </message>
    <message>
        <source>Source gone</source>
        <translation>出处已删除</translation>
    </message>
    <message>
        <source>Summaries</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>What is asked for</source>
        <translation>本次要求</translation>
    </message>
    <message>
        <source>Who replies</source>
        <translation>谁来回复</translation>
    </message>
    <message>
        <source>after the chat</source>
        <translation>在聊天之后</translation>
    </message>
    <message>
        <source>after the main prompt</source>
        <translation>在主提示词之后</translation>
    </message>
    <message>
        <source>before the main prompt</source>
        <translation>在主提示词之前</translation>
    </message>
    <message>
        <source>in the chat at depth {0}, as the character</source>
        <translation>在聊天中深度 {0} 处，以角色身份</translation>
    </message>
    <message>
        <source>in the chat at depth {0}, as the system</source>
        <translation>在聊天中深度 {0} 处，以系统身份</translation>
    </message>
    <message>
        <source>in the chat at depth {0}, as the user</source>
        <translation>在聊天中深度 {0} 处，以用户身份</translation>
    </message>
    <message>
        <source>meaning</source>
        <translation>语义</translation>
    </message>
    <message>
        <source>message #{0}</source>
        <translation>消息 #{0}</translation>
    </message>
    <message>
        <source>neighbour</source>
        <translation>邻近</translation>
    </message>
    <message>
        <source>recency</source>
        <translation>新近</translation>
    </message>
    <message>
        <source>speaker</source>
        <translation>说话人</translation>
    </message>
    <message>
        <source>words</source>
        <translation>词语</translation>
    </message>
    <message>
        <source>{score} comes from {total} (scores never reach 1)</source>
        <translation>由 {total} 得出 {score}（得分永远不到 1）</translation>
    </message>
</context>
<context>
    <name>PeopleCarrier</name>
    <message>
        <source>Card</source>
        <translation>角色卡</translation>
    </message>
    <message>
        <source>Choose who you play…</source>
        <translation>选择你扮演谁…</translation>
    </message>
    <message>
        <source>Duplicate character</source>
        <translation>复制角色</translation>
    </message>
    <message>
        <source>Duplicated: {name}</source>
        <translation>已复制：{name}</translation>
    </message>
    <message>
        <source>Export character</source>
        <translation>导出角色</translation>
    </message>
    <message>
        <source>Export character…</source>
        <translation>导出角色…</translation>
    </message>
    <message>
        <source>Favourite or not</source>
        <translation>收藏或取消收藏</translation>
    </message>
    <message>
        <source>Personas…</source>
        <translation>用户角色…</translation>
    </message>
    <message>
        <source>Picture with card</source>
        <translation>带角色卡的图片</translation>
    </message>
    <message>
        <source>Show the characters</source>
        <translation>显示角色</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Who you play</source>
        <translation>你扮演谁</translation>
    </message>
    <message>
        <source>Written: {file}</source>
        <translation>已写入：{file}</translation>
    </message>
    <message>
        <source>default</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>played now</source>
        <translation>正在扮演</translation>
    </message>
</context>
<context>
    <name>PeopleModel</name>
    <message>
        <source>Earlier</source>
        <translation>更早</translation>
    </message>
    <message>
        <source>No messages yet</source>
        <translation>还没有消息</translation>
    </message>
    <message>
        <source>This week</source>
        <translation>本周</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>今天</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>昨天</translation>
    </message>
</context>
<context>
    <name>PersonaForm</name>
    <message>
        <source>A persona needs a name.</source>
        <translation>用户角色需要一个名字。</translation>
    </message>
    <message>
        <source>Above the author&apos;s note</source>
        <translation>在作者注释之上</translation>
    </message>
    <message>
        <source>Below the author&apos;s note</source>
        <translation>在作者注释之下</translation>
    </message>
    <message>
        <source>Depth</source>
        <translation>深度</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>描述</translation>
    </message>
    <message>
        <source>How many messages follow it.</source>
        <translation>在它之后还有几条消息。</translation>
    </message>
    <message>
        <source>In the chat, at a depth</source>
        <translation>在聊天中的某个深度</translation>
    </message>
    <message>
        <source>In the name of</source>
        <translation>以谁的名义</translation>
    </message>
    <message>
        <source>In the prompt, with the character</source>
        <translation>在提示词里，与角色在一起</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名字</translation>
    </message>
    <message>
        <source>Nowhere</source>
        <translation>不发送</translation>
    </message>
    <message>
        <source>The character</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>The system</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>What the model is told about you. {{user}} stands for the name.</source>
        <translation>告诉模型你是谁。{{user}} 代表名字。</translation>
    </message>
    <message>
        <source>Where the description goes</source>
        <translation>描述放在哪里</translation>
    </message>
    <message>
        <source>You</source>
        <translation>你</translation>
    </message>
    <message>
        <source>~ 1 token</source>
        <translation>~1 token</translation>
    </message>
    <message>
        <source>~ {count} tokens</source>
        <translation>~{count} token</translation>
    </message>
</context>
<context>
    <name>PersonaRow</name>
    <message>
        <source>Choose who you play here</source>
        <translation>选择你在这里扮演谁</translation>
    </message>
    <message>
        <source>Menu</source>
        <translation>菜单</translation>
    </message>
    <message>
        <source>Persona</source>
        <translation>用户角色</translation>
    </message>
    <message>
        <source>You</source>
        <translation>你</translation>
    </message>
    <message>
        <source>You play {name}</source>
        <translation>你扮演 {name}</translation>
    </message>
</context>
<context>
    <name>PersonasDialog</name>
    <message numerus="yes">
        <source>%n persona(s) written.</source>
        <translation>
            <numerusform>已写入 %n 个用户角色。</numerusform>
        </translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>复制一份</translation>
    </message>
    <message>
        <source>Export all…</source>
        <translation>全部导出…</translation>
    </message>
    <message>
        <source>Export personas</source>
        <translation>导出用户角色</translation>
    </message>
    <message>
        <source>Import personas</source>
        <translation>导入用户角色</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>导入…</translation>
    </message>
    <message>
        <source>More about personas</source>
        <translation>更多操作</translation>
    </message>
    <message>
        <source>Moved to the trash: %1</source>
        <translation>已移到回收站：%1</translation>
    </message>
    <message>
        <source>New chats start with this persona.</source>
        <translation>新聊天默认使用这个用户角色。</translation>
    </message>
    <message>
        <source>New persona</source>
        <translation>新建用户角色</translation>
    </message>
    <message>
        <source>No description</source>
        <translation>没有描述</translation>
    </message>
    <message>
        <source>Nobody yet. A persona is who you are in a chat: a name, and what characters know of you.</source>
        <translation>还没有。用户角色就是你在聊天中的身份：名字，以及角色们对你的了解。</translation>
    </message>
    <message>
        <source>Persona</source>
        <translation>用户角色</translation>
    </message>
    <message>
        <source>Personas</source>
        <translation>用户角色</translation>
    </message>
    <message>
        <source>Play in this chat</source>
        <translation>在此聊天中扮演</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search personas</source>
        <translation>搜索用户角色</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Use in new chats</source>
        <translation>用于新聊天</translation>
    </message>
    <message>
        <source>You play this persona in the open chat.</source>
        <translation>你在当前聊天中扮演这个用户角色。</translation>
    </message>
    <message>
        <source>default</source>
        <translation>默认</translation>
    </message>
</context>
<context>
    <name>Place</name>
    <message>
        <source>Chats and the key are sent over the internet to {host} without encryption.</source>
        <translation>聊天内容和密钥会未经加密地通过互联网发送到 {host}。</translation>
    </message>
    <message>
        <source>Chats are sent over the internet to {host}.</source>
        <translation>聊天内容会通过互联网发送到 {host}。</translation>
    </message>
    <message>
        <source>Chats are sent to {host} in your network.</source>
        <translation>聊天内容会发送到你网络中的 {host}。</translation>
    </message>
    <message>
        <source>On this computer: chats do not leave it.</source>
        <translation>就在本机：聊天内容不会离开这台电脑。</translation>
    </message>
</context>
<context>
    <name>PlacementRow</name>
    <message>
        <source>After the chat</source>
        <translation>聊天之后</translation>
    </message>
    <message>
        <source>After the main prompt</source>
        <translation>主提示词之后</translation>
    </message>
    <message>
        <source>Before the main prompt</source>
        <translation>主提示词之前</translation>
    </message>
    <message>
        <source>Character</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>Depth</source>
        <translation>深度</translation>
    </message>
    <message>
        <source>How many messages come after it: 0 is the end of the chat.</source>
        <translation>其后还有多少条消息：0 表示聊天末尾。</translation>
    </message>
    <message>
        <source>In the chat</source>
        <translation>聊天之中</translation>
    </message>
    <message>
        <source>In whose name the model reads it.</source>
        <translation>模型读到它时视为谁所说。</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>Said by</source>
        <translation>发言者</translation>
    </message>
    <message>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>User</source>
        <translation>用户</translation>
    </message>
</context>
<context>
    <name>PreferencesDialog</name>
    <message>
        <source>API keys are kept in the system keyring.</source>
        <translation>API 密钥保存在系统钥匙串中。</translation>
    </message>
    <message>
        <source>About you</source>
        <translation>关于你</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Chats, memories and pictures are here.</source>
        <translation>聊天、记忆和图片都在这里。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Close memdesk and open it again as it is now</source>
        <translation>关闭 memdesk 并按现在的样子重新打开</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>配色</translation>
    </message>
    <message>
        <source>Ctrl+Enter sends, Enter breaks the line</source>
        <translation>Ctrl+Enter 发送，Enter 换行</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Data folder</source>
        <translation>数据文件夹</translation>
    </message>
    <message>
        <source>Embeddings and search index…</source>
        <translation>向量嵌入与搜索索引…</translation>
    </message>
    <message>
        <source>Enter sends, Shift+Enter breaks the line</source>
        <translation>Enter 发送，Shift+Enter 换行</translation>
    </message>
    <message>
        <source>Finding memories</source>
        <translation>查找记忆</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>More of whom you play: pictures, and where their descriptions stand</source>
        <translation>更多你所扮演的身份：头像，以及描述放在哪里</translation>
    </message>
    <message>
        <source>No file manager could be opened for this folder.</source>
        <translation>无法用文件管理器打开这个文件夹。</translation>
    </message>
    <message>
        <source>No system keyring works here: API keys are kept unencrypted in the file keys.json of the data folder, readable only by you.</source>
        <translation>这里没有可用的系统钥匙串：API 密钥未经加密，保存在数据文件夹的 keys.json 文件中，只有你能读取。</translation>
    </message>
    <message>
        <source>One moment…</source>
        <translation>请稍候…</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Personas…</source>
        <translation>用户角色…</translation>
    </message>
    <message>
        <source>Preferences</source>
        <translation>偏好设置</translation>
    </message>
    <message>
        <source>Remove samples</source>
        <translation>移除示例</translation>
    </message>
    <message>
        <source>Restart now</source>
        <translation>立即重启</translation>
    </message>
    <message>
        <source>Restore samples</source>
        <translation>恢复示例</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>示例</translation>
    </message>
    <message>
        <source>Sending a message</source>
        <translation>发送消息</translation>
    </message>
    <message>
        <source>Takes effect the next time memdesk starts.</source>
        <translation>下次启动 memdesk 时生效。</translation>
    </message>
    <message>
        <source>The samples are in the trash for 30 days.</source>
        <translation>示例会在回收站保留 30 天。</translation>
    </message>
    <message>
        <source>The samples are there.</source>
        <translation>示例已就位。</translation>
    </message>
    <message>
        <source>Two characters with long chats that show what memory does.</source>
        <translation>两个带有长聊天的角色，用来展示记忆的作用。</translation>
    </message>
    <message>
        <source>What characters know about you.</source>
        <translation>角色对你的了解。</translation>
    </message>
    <message>
        <source>Which model turns text into vectors, and where they are searched.</source>
        <translation>用哪个模型把文字变成向量，以及在哪里搜索。</translation>
    </message>
    <message>
        <source>While this is empty, you are called “{name}”</source>
        <translation>留空时，你会被称为“{name}”</translation>
    </message>
    <message>
        <source>Who you are</source>
        <translation>你的身份</translation>
    </message>
    <message>
        <source>Who you are in new chats.</source>
        <translation>你在新聊天中的身份。</translation>
    </message>
    <message>
        <source>Without a name the one from before stays.</source>
        <translation>不填名字时沿用之前的名字。</translation>
    </message>
    <message>
        <source>You</source>
        <translation>你</translation>
    </message>
    <message>
        <source>Your name</source>
        <translation>你的名字</translation>
    </message>
</context>
<context>
    <name>PresetForm</name>
    <message>
        <source>A built-in preset keeps its name. Duplicate it to have your own.</source>
        <translation>内置预设不能改名。可以复制一份，改成自己的。</translation>
    </message>
    <message>
        <source>A preset needs a name.</source>
        <translation>预设需要一个名称。</translation>
    </message>
    <message>
        <source>After the chat</source>
        <translation>聊天之后</translation>
    </message>
    <message>
        <source>Example messages</source>
        <translation>对话示例</translation>
    </message>
    <message>
        <source>Frequency penalty</source>
        <translation>频率惩罚</translation>
    </message>
    <message>
        <source>Further prompts</source>
        <translation>附加提示词</translation>
    </message>
    <message>
        <source>How names are sent</source>
        <translation>如何发送名字</translation>
    </message>
    <message>
        <source>How the card is introduced</source>
        <translation>角色卡内容的引入格式</translation>
    </message>
    <message>
        <source>In the field “name”</source>
        <translation>放在名字字段中</translation>
    </message>
    <message>
        <source>In the text, where several characters talk</source>
        <translation>多个角色交谈时写在正文中</translation>
    </message>
    <message>
        <source>In the text: “Name: …”</source>
        <translation>写在正文中：“名字：……”</translation>
    </message>
    <message>
        <source>Main prompt</source>
        <translation>主提示词</translation>
    </message>
    <message>
        <source>Min P</source>
        <translation>Min P（最小概率）</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名字</translation>
    </message>
    <message>
        <source>Not at all</source>
        <translation>不发送</translation>
    </message>
    <message>
        <source>One per line, in place of the connection&apos;s. Write \n for a line break.</source>
        <translation>每行一个，取代连接中的设置。换行写作 \n。</translation>
    </message>
    <message>
        <source>Persona</source>
        <translation>用户角色</translation>
    </message>
    <message>
        <source>Personality</source>
        <translation>性格</translation>
    </message>
    <message>
        <source>Presence penalty</source>
        <translation>存在惩罚</translation>
    </message>
    <message>
        <source>Repetition penalty</source>
        <translation>重复惩罚</translation>
    </message>
    <message>
        <source>Reply length (tokens)</source>
        <translation>回复长度（token）</translation>
    </message>
    <message>
        <source>Sampling, reply length, stop texts</source>
        <translation>采样、回复长度、停止文本</translation>
    </message>
    <message>
        <source>Scenario</source>
        <translation>情景</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>Stands first. A card&apos;s own system prompt takes its place; {{original}} in it means this one.</source>
        <translation>位于最前。角色卡自带的系统提示词会取代它，并可用 {{original}} 引用此处内容。</translation>
    </message>
    <message>
        <source>Stop texts</source>
        <translation>停止文本</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>The last thing the model reads. A card&apos;s own takes its place.</source>
        <translation>模型最后读到的内容。角色卡自带的会取代它。</translation>
    </message>
    <message>
        <source>Top K</source>
        <translation>Top K（候选数）</translation>
    </message>
    <message>
        <source>Top P</source>
        <translation>Top P（核采样）</translation>
    </message>
    <message>
        <source>What is blank is not sent.</source>
        <translation>留空则不发送。</translation>
    </message>
    <message>
        <source>as the connection</source>
        <translation>同连接</translation>
    </message>
</context>
<context>
    <name>PresetImportDialog</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Everything in the file comes along.</source>
        <translation>文件中的全部内容都会导入。</translation>
    </message>
    <message>
        <source>Import preset</source>
        <translation>导入预设</translation>
    </message>
    <message>
        <source>Keep preset</source>
        <translation>保存预设</translation>
    </message>
    <message>
        <source>What does not come along:</source>
        <translation>以下内容不会导入：</translation>
    </message>
    <message>
        <source>What is in the file</source>
        <translation>文件内容</translation>
    </message>
    <message>
        <source>from %1</source>
        <translation>来自 %1</translation>
    </message>
    <message>
        <source>{0} further prompts, {1} of them on; main prompt of {2} characters.</source>
        <translation>{0} 条附加提示词，其中 {1} 条已启用；主提示词 {2} 个字符。</translation>
    </message>
</context>
<context>
    <name>PresetsDialog</name>
    <message>
        <source>Back to the built-in prompts, without any sampling of its own.</source>
        <translation>恢复为内置提示词，并清除采样参数。</translation>
    </message>
    <message>
        <source>Chats with a preset of their own keep it.</source>
        <translation>已单独选择预设的聊天不受影响。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Delete preset</source>
        <translation>删除预设</translation>
    </message>
    <message>
        <source>Duplicate preset</source>
        <translation>复制预设</translation>
    </message>
    <message>
        <source>Export preset</source>
        <translation>导出预设</translation>
    </message>
    <message>
        <source>Export preset…</source>
        <translation>导出预设…</translation>
    </message>
    <message>
        <source>Import preset</source>
        <translation>导入预设</translation>
    </message>
    <message>
        <source>Import preset…</source>
        <translation>导入预设…</translation>
    </message>
    <message>
        <source>New preset</source>
        <translation>新预设</translation>
    </message>
    <message>
        <source>Please correct what is marked.</source>
        <translation>请更正标出的内容。</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>重置</translation>
    </message>
    <message>
        <source>The chosen preset</source>
        <translation>所选预设</translation>
    </message>
    <message>
        <source>Use in all chats</source>
        <translation>用于所有聊天</translation>
    </message>
    <message>
        <source>built in</source>
        <translation>内置</translation>
    </message>
    <message>
        <source>built in, changed</source>
        <translation>内置，已修改</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>使用中</translation>
    </message>
    <message>
        <source>your own</source>
        <translation>自定义</translation>
    </message>
</context>
<context>
    <name>ProfileValues</name>
    <message>
        <source>At most {limit} characters.</source>
        <translation>最多 {limit} 个字符。</translation>
    </message>
    <message>
        <source>At most {limit} stop texts.</source>
        <translation>最多 {limit} 个停止文本。</translation>
    </message>
    <message>
        <source>Enter a number.</source>
        <translation>请输入数字。</translation>
    </message>
    <message>
        <source>Enter a whole number.</source>
        <translation>请输入整数。</translation>
    </message>
    <message>
        <source>Enter the server&apos;s address, for example http://127.0.0.1:11434/v1</source>
        <translation>请输入服务器地址，例如 http://127.0.0.1:11434/v1</translation>
    </message>
    <message>
        <source>Give the connection a name.</source>
        <translation>请给连接起个名称。</translation>
    </message>
    <message>
        <source>Leave out fields that are null, and do not nest deeply: this cannot be kept.</source>
        <translation>请去掉值为 null 的字段，也不要嵌套太深：这样的内容无法保存。</translation>
    </message>
    <message>
        <source>Must be less than {limit}.</source>
        <translation>必须小于 {limit}。</translation>
    </message>
    <message>
        <source>Must be more than {limit}.</source>
        <translation>必须大于 {limit}。</translation>
    </message>
    <message>
        <source>Must be {limit} or less.</source>
        <translation>不能大于 {limit}。</translation>
    </message>
    <message>
        <source>Must be {limit} or more.</source>
        <translation>不能小于 {limit}。</translation>
    </message>
    <message>
        <source>Please check this value.</source>
        <translation>请检查这个值。</translation>
    </message>
    <message>
        <source>The reply must be shorter than the context of {count} tokens.</source>
        <translation>回复必须短于 {count} token 的上下文。</translation>
    </message>
    <message>
        <source>These fields are memdesk&apos;s own and cannot be set here: {names}.</source>
        <translation>这些字段由 memdesk 自己使用，不能在这里设置：{names}。</translation>
    </message>
    <message>
        <source>This is not valid JSON.</source>
        <translation>这不是有效的 JSON。</translation>
    </message>
    <message>
        <source>This is not valid JSON: see line {line}, column {column}.</source>
        <translation>这不是有效的 JSON：请看第 {line} 行第 {column} 列。</translation>
    </message>
    <message>
        <source>This must be a JSON object, for example {&quot;mirostat&quot;: 2}.</source>
        <translation>这里必须是 JSON 对象，例如 {&quot;mirostat&quot;: 2}。</translation>
    </message>
    <message>
        <source>This must be one line.</source>
        <translation>这里只能是一行。</translation>
    </message>
    <message>
        <source>This text contains half a character.</source>
        <translation>这段文本里有半个字符。</translation>
    </message>
</context>
<context>
    <name>PromptPanel</name>
    <message>
        <source>About {0} tokens must be sent, and there is room for {1}. Shorten one of these, or choose a larger context or a shorter reply in the connection: {2}.</source>
        <translation>必须发送约 {0} token，而只放得下 {1}。请缩短其中一项，或在连接中选择更大的上下文或更短的回复：{2}。</translation>
    </message>
    <message>
        <source>Message #{0} has no receipt</source>
        <translation>消息 #{0} 没有提示词明细</translation>
    </message>
    <message>
        <source>Next prompt</source>
        <translation>下一个提示词</translation>
    </message>
    <message>
        <source>No chat is open</source>
        <translation>没有打开的聊天</translation>
    </message>
    <message>
        <source>No reply is selected</source>
        <translation>没有选中回复</translation>
    </message>
    <message>
        <source>One moment…</source>
        <translation>请稍候…</translation>
    </message>
    <message>
        <source>Open a chat, and what the model is told for each reply appears here.</source>
        <translation>打开一个聊天，每条回复中模型得到的内容会显示在这里。</translation>
    </message>
    <message>
        <source>Receipt</source>
        <translation>提示词明细</translation>
    </message>
    <message>
        <source>Receipts are kept for replies that memdesk asked a model for. First messages, your own messages and imported ones have none.</source>
        <translation>只有 memdesk 向模型请求的回复才保留提示词明细。开场白、你自己的消息和导入的消息没有。</translation>
    </message>
    <message>
        <source>Reply</source>
        <translation>回复</translation>
    </message>
    <message>
        <source>Reply #{0}</source>
        <translation>回复 #{0}</translation>
    </message>
    <message>
        <source>Select a reply in the chat to see everything the model was given for it: each part with its tokens and its reason, what was left out, and the exact messages.</source>
        <translation>在聊天中选择一条回复，就能看到当时交给模型的一切：每个部分的 token 数和理由、未发送的内容，以及逐字的消息。</translation>
    </message>
    <message>
        <source>Show the next prompt</source>
        <translation>显示下一个提示词</translation>
    </message>
    <message>
        <source>Show the prompt of the selected reply</source>
        <translation>显示所选回复的提示词</translation>
    </message>
    <message>
        <source>Show the prompt that would be sent next</source>
        <translation>显示接下来会发送的提示词</translation>
    </message>
    <message>
        <source>The next prompt does not fit</source>
        <translation>下一个提示词放不下</translation>
    </message>
    <message>
        <source>There is no next prompt</source>
        <translation>没有下一个提示词</translation>
    </message>
</context>
<context>
    <name>Reasons</name>
    <message>
        <source>already in the last {count} messages</source>
        <translation>已在最后 {count} 条消息中</translation>
    </message>
    <message>
        <source>already in the prompt, word for word</source>
        <translation>已逐字出现在提示词中</translation>
    </message>
    <message>
        <source>always sent</source>
        <translation>始终发送</translation>
    </message>
    <message>
        <source>below threshold {threshold:.2f}</source>
        <translation>低于阈值 {threshold:.2f}</translation>
    </message>
    <message>
        <source>chosen: place {place}, the best {limit} are sent</source>
        <translation>已选中：第 {place} 名，发送最好的 {limit} 条</translation>
    </message>
    <message>
        <source>disabled by you</source>
        <translation>已被你停用</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>内容为空</translation>
    </message>
    <message>
        <source>every {count} user messages: not this time</source>
        <translation>每 {count} 条用户消息一次：这次不发送</translation>
    </message>
    <message>
        <source>every {count} user messages: this time</source>
        <translation>每 {count} 条用户消息一次：这次发送</translation>
    </message>
    <message>
        <source>hidden from the model</source>
        <translation>对模型隐藏</translation>
    </message>
    <message>
        <source>in the context window</source>
        <translation>在上下文窗口中</translation>
    </message>
    <message>
        <source>moved into the recalled part</source>
        <translation>已移到召回的部分</translation>
    </message>
    <message>
        <source>no room: {limit}-token limit</source>
        <translation>放不下：上限 {limit} token</translation>
    </message>
    <message>
        <source>not older than the message being answered</source>
        <translation>不早于正在回复的消息</translation>
    </message>
    <message>
        <source>older than the context window</source>
        <translation>早于上下文窗口</translation>
    </message>
    <message>
        <source>pinned: always sent</source>
        <translation>置顶：始终发送</translation>
    </message>
    <message>
        <source>place {place}: only the best {limit} are sent</source>
        <translation>第 {place} 名：只发送前 {limit} 名</translation>
    </message>
    <message>
        <source>switched off: every 0 user messages</source>
        <translation>已关闭：每 0 条用户消息</translation>
    </message>
    <message>
        <source>switched on: sent with every reply</source>
        <translation>已启用：每次回复都会发送</translation>
    </message>
    <message>
        <source>taken in by a later summary</source>
        <translation>已并入后来的摘要</translation>
    </message>
</context>
<context>
    <name>RecallSettingsDialog</name>
    <message>
        <source> characters</source>
        <translation> 个字符</translation>
    </message>
    <message>
        <source>A mark that always ends a memory, for example --- (write \n for a line break).</source>
        <translation>遇到这个标记就另起一条记忆，例如 ---（换行写作 \n）。</translation>
    </message>
    <message>
        <source>A memory is made of</source>
        <translation>一条记忆的内容</translation>
    </message>
    <message>
        <source>A message is cut at paragraphs, sentences and words so that its pieces come near this.</source>
        <translation>消息会在段落、句子和词之间切开，使每段接近这个长度。</translation>
    </message>
    <message>
        <source>A message that says too little (“go on”) is searched for with those before it.</source>
        <translation>内容太少的消息（如“继续”）会连同前面的消息一起用来搜索。</translation>
    </message>
    <message>
        <source>A recalled message that is in the context</source>
        <translation>召回的消息若还在上下文里</translation>
    </message>
    <message>
        <source>A very small credit for what was said later; pinned memories get none.</source>
        <translation>给较晚说的内容一点点加分；置顶的记忆不加。</translation>
    </message>
    <message>
        <source>An answer stands beside its question.</source>
        <translation>答案往往就在问题旁边。</translation>
    </message>
    <message>
        <source>Boundary</source>
        <translation>分隔标记</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Credit for named speakers</source>
        <translation>点名的说话人加分</translation>
    </message>
    <message>
        <source>Credit from neighbours</source>
        <translation>相邻消息加分</translation>
    </message>
    <message>
        <source>Defaults</source>
        <translation>恢复默认</translation>
    </message>
    <message>
        <source>Enable Memory Recall</source>
        <translation>启用记忆召回</translation>
    </message>
    <message>
        <source>Exchanges: five messages in a row</source>
        <translation>对话段：连续五条消息</translation>
    </message>
    <message>
        <source>How it is found</source>
        <translation>怎样找到</translation>
    </message>
    <message>
        <source>It is never sent twice.</source>
        <translation>绝不会发送两次。</translation>
    </message>
    <message>
        <source>Length of a memory</source>
        <translation>一条记忆的长度</translation>
    </message>
    <message>
        <source>Lowest score</source>
        <translation>最低分数</translation>
    </message>
    <message>
        <source>Memories sent at most</source>
        <translation>最多发送的记忆数</translation>
    </message>
    <message>
        <source>Messages in the query</source>
        <translation>用几条消息来查询</translation>
    </message>
    <message>
        <source>Messages that are hidden from the model can be recalled all the same.</source>
        <translation>对模型隐藏的消息仍然可以被召回。</translation>
    </message>
    <message>
        <source>Messages, split near a length</source>
        <translation>单条消息，按长度切分</translation>
    </message>
    <message>
        <source>Newer first among equals</source>
        <translation>分数相近时较新的优先</translation>
    </message>
    <message>
        <source>Newest messages that are always sent</source>
        <translation>总是发送的最新消息数</translation>
    </message>
    <message>
        <source>Recall settings</source>
        <translation>记忆召回设置</translation>
    </message>
    <message>
        <source>Remember hidden messages</source>
        <translation>记住隐藏的消息</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Text around the memories</source>
        <translation>记忆外围的文字</translation>
    </message>
    <message>
        <source>The memories of this chat are made anew in the background. What you froze, pinned, edited or wrote stays; text that was embedded before costs nothing.</source>
        <translation>这个聊天的记忆会在后台重新生成。你冻结、置顶、编辑或写下的会保留；向量化过的文字不必再算。</translation>
    </message>
    <message>
        <source>They give way to nothing and are never recalled.</source>
        <translation>它们不给任何内容让位，也不会被召回。</translation>
    </message>
    <message>
        <source>What is remembered</source>
        <translation>记住什么</translation>
    </message>
    <message>
        <source>What somebody said counts more when the query names them.</source>
        <translation>查询里提到某人时，他说过的话分数更高。</translation>
    </message>
    <message>
        <source>Where it stands in the prompt</source>
        <translation>放在提示词的哪里</translation>
    </message>
    <message>
        <source>Whether memories are sent with replies in this chat. Remembering goes on either way.</source>
        <translation>这个聊天是否随回复发送记忆。无论开关，记忆都会继续积累。</translation>
    </message>
    <message>
        <source>Widen short queries</source>
        <translation>扩展过短的查询</translation>
    </message>
    <message>
        <source>moves into the recalled part</source>
        <translation>移到召回的部分</translation>
    </message>
    <message>
        <source>stays where it is</source>
        <translation>留在原处</translation>
    </message>
    <message>
        <source>whole messages</source>
        <translation>整条消息</translation>
    </message>
    <message>
        <source>{{text}} is where they go.</source>
        <translation>记忆会放在 {{text}} 处。</translation>
    </message>
</context>
<context>
    <name>ReceiptView</name>
    <message>
        <source>, then </source>
        <translation>，然后是</translation>
    </message>
    <message>
        <source>Card: {0}</source>
        <translation>角色卡：{0}</translation>
    </message>
    <message>
        <source>Click to read the whole message.</source>
        <translation>点击阅读整条消息。</translation>
    </message>
    <message>
        <source>Copy all</source>
        <translation>全部复制</translation>
    </message>
    <message>
        <source>Copy all messages as JSON</source>
        <translation>将全部消息复制为 JSON</translation>
    </message>
    <message>
        <source>Copy message {0}</source>
        <translation>复制消息 {0}</translation>
    </message>
    <message>
        <source>Copy text</source>
        <translation>复制文本</translation>
    </message>
    <message>
        <source>Exact messages</source>
        <translation>逐字消息</translation>
    </message>
    <message>
        <source>How many parts of this source were sent, and the tokens they take (estimated).</source>
        <translation>这一来源发送了多少个部分，以及它们占用的 token 数（估算）。</translation>
    </message>
    <message>
        <source>Jump to message</source>
        <translation>跳到消息</translation>
    </message>
    <message>
        <source>Left out</source>
        <translation>未发送</translation>
    </message>
    <message>
        <source>Messages of the chat, sent as they are.</source>
        <translation>聊天中的消息，原样发送。</translation>
    </message>
    <message>
        <source>Recalled memories, with the words around them.</source>
        <translation>召回的记忆，连同前后的说明文字。</translation>
    </message>
    <message>
        <source>Room the model has for its answer; set in the connection.</source>
        <translation>留给模型作答的空间；在连接中设置。</translation>
    </message>
    <message>
        <source>Show memory</source>
        <translation>显示记忆</translation>
    </message>
    <message>
        <source>Show summary</source>
        <translation>显示摘要</translation>
    </message>
    <message>
        <source>The score (0 to 1) adds meaning (likeness to the query), words (shared with it), neighbour (credit from the messages beside it) and speaker (named in the query), each with its weight. Click to read the text.</source>
        <translation>得分（0 到 1）由语义（与查询的相似度）、词语（与查询共有的词）、邻近（相邻消息带来的加分）和说话人（查询中提到的人）按各自权重相加。点击阅读文本。</translation>
    </message>
    <message>
        <source>Tokens are estimated. Click to read the text.</source>
        <translation>token 数为估算值。点击阅读文本。</translation>
    </message>
    <message>
        <source>Tokens of this source in the prompt, estimated.</source>
        <translation>这一来源在提示词中占用的 token 数（估算）。</translation>
    </message>
    <message>
        <source>What memories were compared with: the newest messages.</source>
        <translation>用来与记忆比对的内容：最新的消息。</translation>
    </message>
    <message>
        <source>What the prompt takes of the model&apos;s context. Counted with the bundled tokenizer and scaled by what the server reported before; an estimate.</source>
        <translation>提示词占用了多少模型上下文。由自带的分词器计数，并按服务器以往报告的数值换算；为估算值。</translation>
    </message>
    <message>
        <source>What was considered and not sent, each with its reason.</source>
        <translation>考虑过但没有发送的内容，各附理由。</translation>
    </message>
    <message>
        <source>When there is no room, this gives way first: {0}.</source>
        <translation>放不下时，依次让位的是：{0}。</translation>
    </message>
    <message>
        <source>Whose card the prompt was made from.</source>
        <translation>这次提示词所用的角色卡。</translation>
    </message>
    <message>
        <source>assistant</source>
        <translation>助手</translation>
    </message>
    <message>
        <source>old messages</source>
        <translation>较旧的消息</translation>
    </message>
    <message>
        <source>recalled memories</source>
        <translation>召回的记忆</translation>
    </message>
    <message>
        <source>searched with: {0}</source>
        <translation>搜索内容：{0}</translation>
    </message>
    <message>
        <source>summaries</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>system</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>user</source>
        <translation>用户</translation>
    </message>
    <message>
        <source>word for word, as the model gets them</source>
        <translation>与模型收到的一字不差</translation>
    </message>
    <message>
        <source>{0} characters</source>
        <translation>{0} 个字符</translation>
    </message>
    <message>
        <source>{0} earlier messages do not fit; memories stand in for them</source>
        <translation>更早的 {0} 条消息放不下；由记忆代替它们</translation>
    </message>
    <message>
        <source>{0} · ~{1} tokens</source>
        <translation>{0} 项 · ~{1} token</translation>
    </message>
    <message>
        <source>~{0} of {1} tokens</source>
        <translation>~{0} / {1} token</translation>
    </message>
</context>
<context>
    <name>RenameDialog</name>
    <message>
        <source>A chat needs a title.</source>
        <translation>聊天需要一个标题。</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Rename chat</source>
        <translation>重命名聊天</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>标题</translation>
    </message>
</context>
<context>
    <name>SearchPanel</name>
    <message numerus="yes">
        <source>%n message(s)</source>
        <translation>
            <numerusform>%n 条消息</numerusform>
        </translation>
    </message>
    <message>
        <source>By meaning</source>
        <translation>按含义</translation>
    </message>
    <message>
        <source>Clear the search</source>
        <translation>清除搜索</translation>
    </message>
    <message>
        <source>Find messages that say something like it, the nearest first. Needs memories with vectors.</source>
        <translation>查找意思相近的消息，最接近的排在最前。需要已有向量的记忆。</translation>
    </message>
    <message>
        <source>Find what was said</source>
        <translation>找回说过的话</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>正在查找……</translation>
    </message>
    <message>
        <source>Messages found in all chats</source>
        <translation>在所有聊天中找到的消息</translation>
    </message>
    <message>
        <source>No message that stands says that.</source>
        <translation>现有的消息里都没有这句话。</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>没有找到</translation>
    </message>
    <message>
        <source>Search all chats</source>
        <translation>搜索所有聊天</translation>
    </message>
    <message>
        <source>Search all chats by meaning</source>
        <translation>按含义搜索所有聊天</translation>
    </message>
    <message>
        <source>Type a word, or several in any order. Every chat is looked through.</source>
        <translation>输入一个或多个词，不分先后，所有聊天都会查找。</translation>
    </message>
    <message>
        <source>Words in any order; “in quotation marks” as they stand.</source>
        <translation>词语不分先后；加“引号”则按原样查找。</translation>
    </message>
    <message>
        <source>{0} memories have no vector yet and were not compared.</source>
        <translation>还有 {0} 条记忆没有向量，未参与比较。</translation>
    </message>
    <message>
        <source>{0} messages are still being read in and were not looked at.</source>
        <translation>还有 {0} 条消息正在读入，尚未查找。</translation>
    </message>
</context>
<context>
    <name>SelectionBar</name>
    <message>
        <source>Copy the selected memories</source>
        <translation>复制选中的记忆</translation>
    </message>
    <message>
        <source>Forget the selected memories</source>
        <translation>忘记选中的记忆</translation>
    </message>
    <message>
        <source>Freeze or unfreeze the selected memories</source>
        <translation>冻结或解冻选中的记忆</translation>
    </message>
    <message>
        <source>Pin or unpin the selected memories</source>
        <translation>置顶或取消置顶选中的记忆</translation>
    </message>
    <message>
        <source>Select nothing</source>
        <translation>取消选择</translation>
    </message>
    <message>
        <source>Turn the selected memories off or on</source>
        <translation>停用或启用选中的记忆</translation>
    </message>
    <message>
        <source>{0} selected</source>
        <translation>已选 {0} 条</translation>
    </message>
</context>
<context>
    <name>SeparatorLines</name>
    <message>
        <source>context begins here · 1 older message is not sent word by word</source>
        <translation>上下文从这里开始 · 更早的 1 条消息不会逐字发送</translation>
    </message>
    <message>
        <source>context begins here · {count} older messages are not sent word by word</source>
        <translation>上下文从这里开始 · 更早的 {count} 条消息不会逐字发送</translation>
    </message>
</context>
<context>
    <name>Shortcuts</name>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Edit the last message, while nothing is written</source>
        <translation>编辑最后一条消息（输入框为空时）</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>忘记</translation>
    </message>
    <message>
        <source>Freeze or unfreeze</source>
        <translation>冻结或解冻</translation>
    </message>
    <message>
        <source>Give back the key it came with</source>
        <translation>恢复默认按键</translation>
    </message>
    <message>
        <source>In the lists of chats and characters</source>
        <translation>在聊天和角色列表中</translation>
    </message>
    <message>
        <source>Next version of the reply or a new one, while nothing is written</source>
        <translation>下一个备选回复，或生成新的（输入框为空时）</translation>
    </message>
    <message>
        <source>Next version or a new one</source>
        <translation>下一个备选，或生成新的</translation>
    </message>
    <message>
        <source>On a memory</source>
        <translation>选中记忆时</translation>
    </message>
    <message>
        <source>On a message</source>
        <translation>选中消息时</translation>
    </message>
    <message>
        <source>Pin or unpin</source>
        <translation>置顶或取消置顶</translation>
    </message>
    <message>
        <source>Press a key…</source>
        <translation>请按下按键…</translation>
    </message>
    <message>
        <source>Press to choose another key; Del takes it away.</source>
        <translation>点击以更换按键；按 Del 清除。</translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation>上一个备选</translation>
    </message>
    <message>
        <source>Previous version of the reply, while nothing is written</source>
        <translation>上一个备选回复（输入框为空时）</translation>
    </message>
    <message>
        <source>Reset: {title}</source>
        <translation>恢复默认：{title}</translation>
    </message>
    <message>
        <source>Send the message</source>
        <translation>发送消息</translation>
    </message>
    <message>
        <source>Stop the reply</source>
        <translation>停止回复</translation>
    </message>
    <message>
        <source>Turn on or off</source>
        <translation>启用或停用</translation>
    </message>
    <message>
        <source>Use it here</source>
        <translation>改用于此</translation>
    </message>
    <message>
        <source>While you write</source>
        <translation>输入时</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>{key} is taken: {others}.</source>
        <translation>{key} 已被占用：{others}。</translation>
    </message>
</context>
<context>
    <name>ShortcutsDialog</name>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>A message is sent by Enter or by Ctrl+Enter.</source>
        <translation>发送消息只能用 Enter 或 Ctrl+Enter。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Nothing is called that.</source>
        <translation>没有叫这个名字的。</translation>
    </message>
    <message>
        <source>Reset all</source>
        <translation>全部恢复默认</translation>
    </message>
    <message>
        <source>Search by name or key</source>
        <translation>按名称或按键搜索</translation>
    </message>
    <message>
        <source>Search keys</source>
        <translation>搜索快捷键</translation>
    </message>
    <message>
        <source>You could not write with this key any more. Hold Ctrl or Alt with it.</source>
        <translation>这样就无法再用这个键输入了。请同时按住 Ctrl 或 Alt。</translation>
    </message>
</context>
<context>
    <name>SidePanel</name>
    <message>
        <source>Open panel in its own window</source>
        <translation>在独立窗口中打开面板</translation>
    </message>
    <message>
        <source>Open this panel in its own window</source>
        <translation>在独立窗口中打开这个面板</translation>
    </message>
    <message>
        <source>Panels</source>
        <translation>面板</translation>
    </message>
</context>
<context>
    <name>SourcePill</name>
    <message>
        <source>%n files</source>
        <translation>%n 个文件</translation>
    </message>
    <message>
        <source>%n lore</source>
        <translation>%n 条世界书</translation>
    </message>
    <message>
        <source>%n memories</source>
        <translation>%n 条记忆</translation>
    </message>
    <message>
        <source>%n summaries</source>
        <translation>%n 条摘要</translation>
    </message>
    <message>
        <source>1 file</source>
        <translation>1 个文件</translation>
    </message>
    <message>
        <source>1 memory</source>
        <translation>1 条记忆</translation>
    </message>
    <message>
        <source>1 summary</source>
        <translation>1 条摘要</translation>
    </message>
    <message>
        <source>What memdesk put into the prompt of this reply. Click to see why.</source>
        <translation>memdesk 放进这条回复提示词里的内容。点击查看原因。</translation>
    </message>
</context>
<context>
    <name>StateLine</name>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Stopped here. What was written is kept.</source>
        <translation>在这里停止。已写下的内容会保留。</translation>
    </message>
    <message>
        <source>The reply failed: {error}</source>
        <translation>回复失败：{error}</translation>
    </message>
    <message>
        <source>memdesk was closed while this was being written.</source>
        <translation>写到这里时 memdesk 被关闭了。</translation>
    </message>
    <message>
        <source>no reason was given</source>
        <translation>没有给出原因</translation>
    </message>
</context>
<context>
    <name>StatusBar</name>
    <message>
        <source>%1 · bundled</source>
        <translation>%1 · 内置</translation>
    </message>
    <message numerus="yes">
        <source>%n waiting for vector</source>
        <translation>
            <numerusform>%n 条等待向量化</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n without a vector</source>
        <translation>
            <numerusform>%n 条没有向量</numerusform>
        </translation>
    </message>
    <message>
        <source>A server on this computer turns messages into vectors.</source>
        <translation>由本机上的服务器把消息变成向量。</translation>
    </message>
    <message>
        <source>Chats are sent to %1. Click to change the connection.</source>
        <translation>聊天内容会发送到 %1。点击更改连接。</translation>
    </message>
    <message>
        <source>Connection: %1</source>
        <translation>连接：%1</translation>
    </message>
    <message>
        <source>Demo voice · no language model</source>
        <translation>演示之声 · 无语言模型</translation>
    </message>
    <message>
        <source>Embedding unavailable</source>
        <translation>无法嵌入</translation>
    </message>
    <message>
        <source>Messages are sent to %1 to be turned into vectors.</source>
        <translation>消息会发送到 %1 以生成向量。</translation>
    </message>
    <message>
        <source>Replies come from this computer. Click to change the connection.</source>
        <translation>回复来自本机。点击更改连接。</translation>
    </message>
    <message>
        <source>The demo voice answers from templates and memories. Click to connect a language model.</source>
        <translation>演示之声用模板和记忆来回答。点击连接语言模型。</translation>
    </message>
    <message>
        <source>The embedding model is missing. Recall works by words.</source>
        <translation>嵌入模型缺失。召回按词语进行。</translation>
    </message>
    <message>
        <source>This chat has a connection of its own.</source>
        <translation>此聊天使用自己的连接。</translation>
    </message>
    <message>
        <source>Turns messages into vectors on this computer; nothing is sent.</source>
        <translation>在本机把消息变成向量；不会发送任何内容。</translation>
    </message>
    <message>
        <source>Until all are there, memories are found by the vectors of before.</source>
        <translation>在全部完成之前，按原来的向量查找记忆。</translation>
    </message>
    <message>
        <source>Until then memories are found by words.</source>
        <translation>在此之前，记忆按词语查找。</translation>
    </message>
    <message>
        <source>local</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>new vectors: %1 of %2</source>
        <translation>新向量：%1 / %2</translation>
    </message>
</context>
<context>
    <name>StatusPill</name>
    <message>
        <source>Embedding unavailable</source>
        <translation>无法嵌入</translation>
    </message>
    <message>
        <source>Has a vector for the current model: can be recalled by meaning and by words.</source>
        <translation>已有当前模型的向量：可以按语义和词语召回。</translation>
    </message>
    <message>
        <source>The embedding model does not work at the moment; it is recalled by words only.</source>
        <translation>嵌入模型目前无法工作；只按词语召回。</translation>
    </message>
    <message>
        <source>Vectorized</source>
        <translation>已向量化</translation>
    </message>
    <message>
        <source>Waiting for vector</source>
        <translation>等待向量化</translation>
    </message>
    <message>
        <source>Will be embedded in the background; until then it is recalled by words only.</source>
        <translation>会在后台向量化；在此之前只按词语召回。</translation>
    </message>
</context>
<context>
    <name>Summaries</name>
    <message>
        <source>A later summary took it in and is sent in its place.</source>
        <translation>后来的摘要已吸收它，并代替它发送。</translation>
    </message>
    <message>
        <source>A summary needs text. Delete it instead, or turn it off.</source>
        <translation>摘要不能没有文字。可以删除或停用它。</translation>
    </message>
    <message>
        <source>A template has at most 20,000 characters.</source>
        <translation>模板最多 20,000 个字符。</translation>
    </message>
    <message>
        <source>A template needs text: it is what the model is asked to do.</source>
        <translation>模板不能没有文字：它告诉模型要做什么。</translation>
    </message>
    <message>
        <source>All messages that it tells of were deleted. The summary was kept.</source>
        <translation>它所述的消息都已删除，摘要保留了下来。</translation>
    </message>
    <message>
        <source>Automated summary</source>
        <translation>自动摘要</translation>
    </message>
    <message>
        <source>Choose at least two summaries to combine.</source>
        <translation>请至少选择两条摘要来合并。</translation>
    </message>
    <message>
        <source>Edited</source>
        <translation>已编辑</translation>
    </message>
    <message>
        <source>Frozen</source>
        <translation>冻结</translation>
    </message>
    <message>
        <source>Kept, but not sent.</source>
        <translation>保留，但不发送。</translation>
    </message>
    <message>
        <source>Legacy summary</source>
        <translation>旧版摘要</translation>
    </message>
    <message>
        <source>Manual summary</source>
        <translation>手写摘要</translation>
    </message>
    <message>
        <source>Messages changed while the summary was being written, so it was not kept. Try again.</source>
        <translation>写摘要期间消息有改动，因此没有保留这条摘要。请重试。</translation>
    </message>
    <message>
        <source>Messages that it tells of were edited, replaced, hidden or deleted since it was written.</source>
        <translation>写成之后，它所述的消息被编辑、替换、隐藏或删除过。</translation>
    </message>
    <message>
        <source>No automatic step changes it or takes it in.</source>
        <translation>任何自动步骤都不会改动或吸收它。</translation>
    </message>
    <message>
        <source>Nothing of it is sent before you approve it.</source>
        <translation>在你批准之前，其内容不会发送。</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>停用</translation>
    </message>
    <message>
        <source>Source changed</source>
        <translation>出处已更改</translation>
    </message>
    <message>
        <source>Source gone</source>
        <translation>出处已删除</translation>
    </message>
    <message>
        <source>Taken in</source>
        <translation>已被吸收</translation>
    </message>
    <message>
        <source>The demo voice cannot summarise. Choose a connection with a language model.</source>
        <translation>演示之声不能写摘要。请选择带有语言模型的连接。</translation>
    </message>
    <message>
        <source>The model answered with nothing that could be a summary. Try again, or another model.</source>
        <translation>模型的回答里没有可用作摘要的内容。请重试，或换一个模型。</translation>
    </message>
    <message>
        <source>The model went on with the story instead of summarising it. Try again, or choose another connection or template for summaries.</source>
        <translation>模型续写了故事，而没有写摘要。请重试，或为摘要另选连接或模板。</translation>
    </message>
    <message>
        <source>The summary was cut off by the limit of tokens. Allow more tokens in the summary settings, or ask for fewer words.</source>
        <translation>摘要因 token 上限被截断。请在摘要设置中放宽 token 上限，或减少字数。</translation>
    </message>
    <message>
        <source>There are no messages to summarise there: they are empty, hidden, or summarised already.</source>
        <translation>那里没有可写摘要的消息：它们是空的、已隐藏，或已有摘要。</translation>
    </message>
    <message>
        <source>Waits for approval</source>
        <translation>等待批准</translation>
    </message>
    <message>
        <source>You changed it. What it said before is in its versions.</source>
        <translation>你改过它；以前的内容在历史版本里。</translation>
    </message>
    <message>
        <source>taken over from before</source>
        <translation>沿用自旧数据</translation>
    </message>
    <message>
        <source>written automatically</source>
        <translation>自动写成</translation>
    </message>
    <message>
        <source>written by you</source>
        <translation>由你撰写</translation>
    </message>
    <message>
        <source>written by {0}</source>
        <translation>由 {0} 撰写</translation>
    </message>
    <message>
        <source>written for no messages</source>
        <translation>不对应任何消息</translation>
    </message>
</context>
<context>
    <name>SummaryCard</name>
    <message>
        <source>Approve</source>
        <translation>批准</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Compare and edit…</source>
        <translation>对比并编辑…</translation>
    </message>
    <message>
        <source>Edit summary</source>
        <translation>编辑摘要</translation>
    </message>
    <message>
        <source>Freeze summary</source>
        <translation>冻结摘要</translation>
    </message>
    <message>
        <source>Go to message {0}</source>
        <translation>转到消息 {0}</translation>
    </message>
    <message>
        <source>It covers {0} messages. Click to go to the first.</source>
        <translation>它涵盖 {0} 条消息。点击转到第一条。</translation>
    </message>
    <message>
        <source>Keep what you wrote (Ctrl+Enter); what it said before is kept, too</source>
        <translation>保存你写的内容（Ctrl+Enter）；之前的内容也会保留</translation>
    </message>
    <message>
        <source>Leave it as it was (Esc)</source>
        <translation>保持原样（Esc）</translation>
    </message>
    <message>
        <source>More for this summary</source>
        <translation>此摘要的更多操作</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>下移</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>上移</translation>
    </message>
    <message>
        <source>Reject</source>
        <translation>拒绝</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Select “{0}”</source>
        <translation>选择“{0}”</translation>
    </message>
    <message>
        <source>Show less of the summary</source>
        <translation>收起摘要</translation>
    </message>
    <message>
        <source>Show the whole summary</source>
        <translation>显示完整摘要</translation>
    </message>
    <message>
        <source>Text of the summary</source>
        <translation>摘要文字</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>Turn summary off</source>
        <translation>停用摘要</translation>
    </message>
    <message>
        <source>Turn summary on</source>
        <translation>启用摘要</translation>
    </message>
    <message>
        <source>Unfreeze summary</source>
        <translation>解除冻结摘要</translation>
    </message>
    <message>
        <source>~{0} tokens</source>
        <translation>~{0} token</translation>
    </message>
</context>
<context>
    <name>SummaryDeeds</name>
    <message>
        <source>Approve</source>
        <translation>批准</translation>
    </message>
    <message>
        <source>Approve a summary</source>
        <translation>批准摘要</translation>
    </message>
    <message>
        <source>Changes from the summaries that it takes in</source>
        <translation>与它将吸收的摘要相比的改动</translation>
    </message>
    <message>
        <source>Changes from what the model wrote</source>
        <translation>与模型所写相比的改动</translation>
    </message>
    <message>
        <source>Combine {0} summaries</source>
        <translation>合并 {0} 条摘要</translation>
    </message>
    <message>
        <source>Compare and edit…</source>
        <translation>对比并编辑…</translation>
    </message>
    <message>
        <source>Copy text</source>
        <translation>复制文本</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Earlier versions…</source>
        <translation>历史版本…</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Freeze</source>
        <translation>冻结</translation>
    </message>
    <message>
        <source>Go to its messages</source>
        <translation>转到对应的消息</translation>
    </message>
    <message>
        <source>It stands in the place of the first. The others stay, turned off.</source>
        <translation>合并后的摘要放在第一条的位置；原来的各条保留，但会停用。</translation>
    </message>
    <message>
        <source>Let the model write it</source>
        <translation>让模型来写</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>下移</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>上移</translation>
    </message>
    <message>
        <source>Turn off</source>
        <translation>停用</translation>
    </message>
    <message>
        <source>Turn on</source>
        <translation>启用</translation>
    </message>
    <message>
        <source>Unfreeze</source>
        <translation>解除冻结</translation>
    </message>
    <message>
        <source>Write a summary</source>
        <translation>撰写摘要</translation>
    </message>
    <message>
        <source>Write anew from its messages</source>
        <translation>根据其消息重写</translation>
    </message>
</context>
<context>
    <name>SummaryEditor</name>
    <message>
        <source>A summary that covers messages says when they change, and can hide them.</source>
        <translation>对应消息的摘要会在消息改动时提示，并且可以隐藏这些消息。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>First covered message</source>
        <translation>对应的第一条消息</translation>
    </message>
    <message>
        <source>It covers messages</source>
        <translation>对应消息</translation>
    </message>
    <message>
        <source>Last covered message</source>
        <translation>对应的最后一条消息</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Text of the summary</source>
        <translation>摘要文字</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>标题</translation>
    </message>
</context>
<context>
    <name>SummaryNotices</name>
    <message>
        <source>Hide what failed</source>
        <translation>隐藏失败提示</translation>
    </message>
    <message>
        <source>It is tried again in about {0} min.</source>
        <translation>约 {0} 分钟后重试。</translation>
    </message>
    <message>
        <source>The automatic summary failed. {0}</source>
        <translation>自动摘要失败。{0}</translation>
    </message>
    <message>
        <source>The summary was not written. {0}</source>
        <translation>摘要没有写成。{0}</translation>
    </message>
    <message>
        <source>Try again now</source>
        <translation>立即重试</translation>
    </message>
    <message>
        <source>Writing an automatic summary</source>
        <translation>正在写自动摘要</translation>
    </message>
    <message>
        <source>and {0} more</source>
        <translation>以及另外 {0} 个</translation>
    </message>
    <message>
        <source>{0} summaries were not written.</source>
        <translation>{0} 条摘要没有写成。</translation>
    </message>
</context>
<context>
    <name>SummaryPanel</name>
    <message>
        <source>1 older message is covered by no summary.</source>
        <translation>有 1 条较早的消息没有任何摘要涵盖。</translation>
    </message>
    <message>
        <source>1 summary</source>
        <translation>1 条摘要</translation>
    </message>
    <message>
        <source>A summary tells the model what happened in messages that it cannot see any more. You can read, edit, order and freeze every one; each is sent with every prompt while it is on. Write one yourself, let a model write it, or let memdesk do so after every few messages (summary settings).</source>
        <translation>摘要告诉模型那些它已看不到的消息里发生了什么。每一条都可以阅读、编辑、排序和冻结；启用时会随每个提示词发送。你可以自己写，让模型写，或让 memdesk 每隔若干条消息自动写（见摘要设置）。</translation>
    </message>
    <message>
        <source>All summaries are turned off</source>
        <translation>所有摘要都已停用</translation>
    </message>
    <message>
        <source>Backfill…</source>
        <translation>补写摘要…</translation>
    </message>
    <message>
        <source>Generate a summary…</source>
        <translation>生成摘要…</translation>
    </message>
    <message>
        <source>Let a model summarise them, batch after batch.</source>
        <translation>让模型分批为它们写摘要。</translation>
    </message>
    <message>
        <source>No chat is open</source>
        <translation>没有打开的聊天</translation>
    </message>
    <message>
        <source>No summaries yet</source>
        <translation>还没有摘要</translation>
    </message>
    <message>
        <source>Nothing to summarise yet</source>
        <translation>还没有可写摘要的内容</translation>
    </message>
    <message>
        <source>Open a chat, and the outline that the model gets of it appears here.</source>
        <translation>打开一个聊天，模型得到的梗概就会显示在这里。</translation>
    </message>
    <message>
        <source>Show inactive summaries</source>
        <translation>显示未启用的摘要</translation>
    </message>
    <message>
        <source>Summaries</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>Summaries are off in this chat: none is sent. Writing them goes on.</source>
        <translation>本聊天已停用摘要：一条也不发送，但仍会继续撰写。</translation>
    </message>
    <message>
        <source>They are kept, but none of them is sent or shown.</source>
        <translation>它们都保留着，但不会发送，也不显示。</translation>
    </message>
    <message>
        <source>What the summaries that are on take of the prompt, estimated.</source>
        <translation>已启用的摘要在提示词中所占的大小（估计）。</translation>
    </message>
    <message>
        <source>When a chat grows longer than the model&apos;s memory, summaries tell it what came before. Write one yourself at any time.</source>
        <translation>当聊天长得超出模型的记忆，摘要会告诉它之前发生的事。你随时可以自己写一条。</translation>
    </message>
    <message>
        <source>Write a summary…</source>
        <translation>撰写摘要…</translation>
    </message>
    <message>
        <source>{0} older messages are covered by no summary.</source>
        <translation>有 {0} 条较早的消息没有任何摘要涵盖。</translation>
    </message>
    <message>
        <source>{0} summaries</source>
        <translation>{0} 条摘要</translation>
    </message>
    <message>
        <source>· ~{0} tokens</source>
        <translation>· ~{0} token</translation>
    </message>
</context>
<context>
    <name>SummarySelection</name>
    <message>
        <source>Combine the selected summaries</source>
        <translation>合并所选摘要</translation>
    </message>
    <message>
        <source>Delete the selected summaries</source>
        <translation>删除所选摘要</translation>
    </message>
    <message>
        <source>Select nothing</source>
        <translation>取消选择</translation>
    </message>
    <message>
        <source>Turn the selected summaries off</source>
        <translation>停用所选摘要</translation>
    </message>
    <message>
        <source>Turn the selected summaries on</source>
        <translation>启用所选摘要</translation>
    </message>
    <message>
        <source>{0} selected</source>
        <translation>已选 {0} 条</translation>
    </message>
</context>
<context>
    <name>SummarySettingsDialog</name>
    <message>
        <source>0 is the very end.</source>
        <translation>0 表示最末尾。</translation>
    </message>
    <message>
        <source>After a reply, in the background; a reply never waits for it.</source>
        <translation>在回复之后于后台进行；回复从不等待它。</translation>
    </message>
    <message>
        <source>An answer that is longer is cut off, and not kept. Models that think need more.</source>
        <translation>更长的回答会被截断且不保留。会思考的模型需要更多。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Chinese and Japanese are counted by character.</source>
        <translation>中文和日文按字计算。</translation>
    </message>
    <message>
        <source>Defaults</source>
        <translation>恢复默认</translation>
    </message>
    <message>
        <source>Entries: each covers messages of its own</source>
        <translation>条目：每条各自涵盖一段消息</translation>
    </message>
    <message>
        <source>For all chats.</source>
        <translation>对所有聊天生效。</translation>
    </message>
    <message>
        <source>Hide summarised messages from the model</source>
        <translation>对模型隐藏已写摘要的消息</translation>
    </message>
    <message>
        <source>How they are written</source>
        <translation>怎样写</translation>
    </message>
    <message>
        <source>How they follow each other</source>
        <translation>前后关系</translation>
    </message>
    <message>
        <source>Length in words, about</source>
        <translation>大致字数</translation>
    </message>
    <message>
        <source>Lorebooks look into summaries</source>
        <translation>世界书扫描摘要</translation>
    </message>
    <message>
        <source>Messages below it</source>
        <translation>其后的消息数</translation>
    </message>
    <message>
        <source>Messages that are counted</source>
        <translation>计数的消息</translation>
    </message>
    <message>
        <source>Most tokens of an answer</source>
        <translation>回答的最大 token 数</translation>
    </message>
    <message>
        <source>Or after so many words</source>
        <translation>或每隔若干字</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>Recent message tail</source>
        <translation>保留的最近消息</translation>
    </message>
    <message>
        <source>Review what the model writes</source>
        <translation>审阅模型所写的内容</translation>
    </message>
    <message>
        <source>Role</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>Rolling: each takes the one before in</source>
        <translation>滚动：每条都吸收前一条</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Send summaries</source>
        <translation>发送摘要</translation>
    </message>
    <message>
        <source>So many of the newest messages are never hidden by a summary.</source>
        <translation>最新的这些消息永远不会被摘要隐藏。</translation>
    </message>
    <message>
        <source>Summarised messages</source>
        <translation>已写摘要的消息</translation>
    </message>
    <message>
        <source>Summary settings</source>
        <translation>摘要设置</translation>
    </message>
    <message>
        <source>Template</source>
        <translation>模板</translation>
    </message>
    <message>
        <source>Templates…</source>
        <translation>模板…</translation>
    </message>
    <message>
        <source>Text around them</source>
        <translation>前后文字</translation>
    </message>
    <message>
        <source>They stay in the chat. What you hid yourself is never touched.</source>
        <translation>它们仍留在聊天里。你自己隐藏的消息不受影响。</translation>
    </message>
    <message>
        <source>What a model wrote waits until you approve it; nothing of it is sent before.</source>
        <translation>模型写的内容要等你批准；在此之前不会发送。</translation>
    </message>
    <message>
        <source>When</source>
        <translation>何时</translation>
    </message>
    <message>
        <source>Where they stand in the prompt</source>
        <translation>在提示词中的位置</translation>
    </message>
    <message>
        <source>Whether keys of lorebooks are found in summaries, too.</source>
        <translation>世界书的关键词是否也在摘要中查找。</translation>
    </message>
    <message>
        <source>Whether they are sent in this chat at all.</source>
        <translation>本聊天是否发送摘要。</translation>
    </message>
    <message>
        <source>With both set to never, no summary is written automatically.</source>
        <translation>两项都设为“从不”时，不会自动写摘要。</translation>
    </message>
    <message>
        <source>Write one after so many</source>
        <translation>每隔若干条消息写一条</translation>
    </message>
    <message>
        <source>Write summaries automatically</source>
        <translation>自动写摘要</translation>
    </message>
    <message>
        <source>Written by</source>
        <translation>由谁写</translation>
    </message>
    <message>
        <source>after the main prompt</source>
        <translation>在主提示词之后</translation>
    </message>
    <message>
        <source>as assistant</source>
        <translation>作为助手</translation>
    </message>
    <message>
        <source>as system</source>
        <translation>作为系统</translation>
    </message>
    <message>
        <source>as user</source>
        <translation>作为用户</translation>
    </message>
    <message>
        <source>at the very end</source>
        <translation>最末尾</translation>
    </message>
    <message>
        <source>before the main prompt</source>
        <translation>在主提示词之前</translation>
    </message>
    <message>
        <source>in the chat</source>
        <translation>在聊天中</translation>
    </message>
    <message>
        <source>never</source>
        <translation>从不</translation>
    </message>
    <message>
        <source>of all messages</source>
        <translation>计所有消息</translation>
    </message>
    <message>
        <source>of your messages</source>
        <translation>只计你的消息</translation>
    </message>
    <message>
        <source>the connection of the chat</source>
        <translation>聊天所用的连接</translation>
    </message>
    <message>
        <source>{{summary}} is where they go.</source>
        <translation>{{summary}} 表示摘要所在之处。</translation>
    </message>
</context>
<context>
    <name>SummaryTemplatesDialog</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>复制一份</translation>
    </message>
    <message>
        <source>It comes with memdesk and stays as it is. Duplicate it to change it.</source>
        <translation>它随 memdesk 提供，不能改动。复制一条即可修改。</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>New</source>
        <translation>新建</translation>
    </message>
    <message>
        <source>New template</source>
        <translation>新模板</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Templates</source>
        <translation>模板</translation>
    </message>
    <message>
        <source>Templates for summaries</source>
        <translation>摘要模板</translation>
    </message>
    <message>
        <source>Use for all chats</source>
        <translation>用于所有聊天</translation>
    </message>
    <message>
        <source>What the model is asked to do</source>
        <translation>要模型做什么</translation>
    </message>
    <message>
        <source>{0} (copy)</source>
        <translation>{0}（副本）</translation>
    </message>
    <message>
        <source>{0} (in use)</source>
        <translation>{0}（使用中）</translation>
    </message>
    <message>
        <source>{0} of {1} characters</source>
        <translation>{0} / {1} 个字符</translation>
    </message>
    <message>
        <source>{{words}} is the length, {{char}} and {{user}} are the names in the chat. The messages follow by themselves. Asking for JSON with “title” and “summary” gives the entry a title; plain text works as well.</source>
        <translation>{{words}} 是长度，{{char}} 和 {{user}} 是聊天中的名字。消息会自动跟在后面。要求以 JSON 给出“title”与“summary”可让摘要带上标题；纯文本也可以。</translation>
    </message>
</context>
<context>
    <name>SummaryTools</name>
    <message>
        <source>Backfill…</source>
        <translation>补写摘要…</translation>
    </message>
    <message>
        <source>Generate a summary</source>
        <translation>生成摘要</translation>
    </message>
    <message>
        <source>Let a model summarise the newest messages, or any others.</source>
        <translation>让模型为最新的消息或任意消息写摘要。</translation>
    </message>
    <message>
        <source>More for summaries</source>
        <translation>摘要的更多操作</translation>
    </message>
    <message>
        <source>Show inactive summaries</source>
        <translation>显示未启用的摘要</translation>
    </message>
    <message>
        <source>Summary settings</source>
        <translation>摘要设置</translation>
    </message>
    <message>
        <source>Templates…</source>
        <translation>模板…</translation>
    </message>
    <message>
        <source>Turn all off</source>
        <translation>全部停用</translation>
    </message>
    <message>
        <source>Turn all on</source>
        <translation>全部启用</translation>
    </message>
    <message>
        <source>When summaries are written, by whom and how, and where they stand in the prompt.</source>
        <translation>何时、由谁、怎样写摘要，以及它们在提示词中的位置。</translation>
    </message>
    <message>
        <source>Write a summary</source>
        <translation>撰写摘要</translation>
    </message>
    <message>
        <source>Write a summary yourself.</source>
        <translation>自己写一条摘要。</translation>
    </message>
</context>
<context>
    <name>SummaryVersions</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Earlier versions</source>
        <translation>历史版本</translation>
    </message>
    <message>
        <source>Earlier versions of “{0}”</source>
        <translation>“{0}”的历史版本</translation>
    </message>
    <message>
        <source>From what it says now to that version</source>
        <translation>从现在的内容到该版本</translation>
    </message>
    <message>
        <source>It has said the same since it was written.</source>
        <translation>写成以来内容没有变过。</translation>
    </message>
    <message>
        <source>Restore this version</source>
        <translation>恢复此版本</translation>
    </message>
    <message>
        <source>until {0}: {1}</source>
        <translation>{0} 之前：{1}</translation>
    </message>
</context>
<context>
    <name>SummaryWork</name>
    <message>
        <source>A summary was written.</source>
        <translation>写好了一条摘要。</translation>
    </message>
    <message>
        <source>Combining summaries</source>
        <translation>正在合并摘要</translation>
    </message>
    <message>
        <source>Everything is already summarised.</source>
        <translation>所有消息都已有摘要。</translation>
    </message>
    <message>
        <source>Stopped. Nothing was written.</source>
        <translation>已停止，没有写任何摘要。</translation>
    </message>
    <message>
        <source>Summarising what came before</source>
        <translation>正在为之前的消息写摘要</translation>
    </message>
    <message>
        <source>Writing a summary</source>
        <translation>正在写摘要</translation>
    </message>
    <message>
        <source>{0} summaries were written.</source>
        <translation>写好了 {0} 条摘要。</translation>
    </message>
</context>
<context>
    <name>SwipeControl</name>
    <message>
        <source>Next version</source>
        <translation>下一个备选</translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation>上一个备选</translation>
    </message>
    <message>
        <source>Version {number} of {count}</source>
        <translation>第 {number} 个备选，共 {count} 个</translation>
    </message>
    <message>
        <source>Write another version</source>
        <translation>再写一个备选</translation>
    </message>
</context>
<context>
    <name>TagPicker</name>
    <message>
        <source>Find a tag</source>
        <translation>查找标签</translation>
    </message>
    <message>
        <source>No such tag.</source>
        <translation>没有这个标签。</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Tags to choose from</source>
        <translation>可选的标签</translation>
    </message>
</context>
<context>
    <name>TalkativenessField</name>
    <message>
        <source>How readily the character speaks up in a group: 0 only when named, 100 always.</source>
        <translation>角色在群聊中多愿意开口：0 只在被点名时，100 每次都说。</translation>
    </message>
    <message>
        <source>Talkativeness</source>
        <translation>健谈程度</translation>
    </message>
</context>
<context>
    <name>TextBody</name>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>The first {0} of {1} characters are shown; Copy takes all of them.</source>
        <translation>只显示 {1} 个字符中的前 {0} 个；“复制”会包含全部内容。</translation>
    </message>
</context>
<context>
    <name>ThoughtsFold</name>
    <message>
        <source>Thinking…</source>
        <translation>正在思考……</translation>
    </message>
    <message>
        <source>Thoughts</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>Thoughts of the model</source>
        <translation>模型的思考</translation>
    </message>
    <message>
        <source>What the model thought. It is never sent back and never remembered.</source>
        <translation>模型的思考过程。不会发回给模型，也不会被记住。</translation>
    </message>
    <message>
        <source>{0} characters</source>
        <translation>{0} 个字符</translation>
    </message>
    <message>
        <source>{0} s</source>
        <translation>{0} 秒</translation>
    </message>
</context>
<context>
    <name>Toast</name>
    <message>
        <source>Dismiss</source>
        <translation>关闭提示</translation>
    </message>
</context>
<context>
    <name>TrashDialog</name>
    <message>
        <source>1 day left</source>
        <translation>还剩 1 天</translation>
    </message>
    <message>
        <source>Character</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>聊天</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Delete all for good</source>
        <translation>全部永久删除</translation>
    </message>
    <message>
        <source>Deleted characters, chats, messages and memories wait here for {days} days. Choose one and press Restore, and it is back where it was, with its memories.</source>
        <translation>删除的角色、聊天、消息和记忆会在这里保留 {days} 天。选中一项并按“恢复”，它就会连同记忆一起回到原处。</translation>
    </message>
    <message>
        <source>Deleted things</source>
        <translation>已删除的内容</translation>
    </message>
    <message>
        <source>Empty trash</source>
        <translation>清空回收站</translation>
    </message>
    <message>
        <source>Emptying the trash…</source>
        <translation>正在清空回收站…</translation>
    </message>
    <message>
        <source>Everything in the trash goes for good, and from the disk. Only backups made before still have it.</source>
        <translation>回收站中的所有内容将被永久删除，磁盘上也不再保留。只有之前做的备份里还有。</translation>
    </message>
    <message>
        <source>Files of the Data Bank</source>
        <translation>资料库的文件</translation>
    </message>
    <message>
        <source>Memories</source>
        <translation>记忆</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Persona</source>
        <translation>用户角色</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Restored.</source>
        <translation>已恢复。</translation>
    </message>
    <message>
        <source>Some of it was not in the trash any more.</source>
        <translation>其中一部分已不在回收站里。</translation>
    </message>
    <message>
        <source>Summaries</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>The trash is empty</source>
        <translation>回收站是空的</translation>
    </message>
    <message>
        <source>The trash was emptied.</source>
        <translation>回收站已清空。</translation>
    </message>
    <message>
        <source>Trash</source>
        <translation>回收站</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>deleted {when} · {rest}</source>
        <translation>删除于 {when} · {rest}</translation>
    </message>
    <message>
        <source>goes at the next start</source>
        <translation>下次启动时清除</translation>
    </message>
    <message>
        <source>{days} days left</source>
        <translation>还剩 {days} 天</translation>
    </message>
</context>
<context>
    <name>TryRecall</name>
    <message>
        <source>At most</source>
        <translation>最多</translation>
    </message>
    <message>
        <source>Enable Memory Recall</source>
        <translation>启用记忆召回</translation>
    </message>
    <message>
        <source>How many memories are sent with a reply at the most.</source>
        <translation>一条回复最多发送多少条记忆。</translation>
    </message>
    <message>
        <source>Memories sent at most</source>
        <translation>最多发送的记忆数</translation>
    </message>
    <message>
        <source>No memory has anything to do with this.</source>
        <translation>没有与此相关的记忆。</translation>
    </message>
    <message>
        <source>The lowest score that is recalled, from 0 to 1.</source>
        <translation>会被召回的最低分数，从 0 到 1。</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>阈值</translation>
    </message>
    <message>
        <source>Use for this chat</source>
        <translation>用于这个聊天</translation>
    </message>
    <message>
        <source>Whether memories are sent with replies in this chat. Remembering goes on either way.</source>
        <translation>这个聊天是否随回复发送记忆。无论开关，记忆都会继续积累。</translation>
    </message>
    <message>
        <source>{0} of {1} candidates would be sent · {2} ms</source>
        <translation>{1} 条候选中会发送 {0} 条 · {2} 毫秒</translation>
    </message>
</context>
<context>
    <name>Unsaved</name>
    <message>
        <source>Discard changes</source>
        <translation>放弃更改</translation>
    </message>
    <message>
        <source>Go on editing</source>
        <translation>继续编辑</translation>
    </message>
    <message>
        <source>Save changes</source>
        <translation>保存更改</translation>
    </message>
    <message>
        <source>Save what you changed here?</source>
        <translation>要保存在这里所做的更改吗？</translation>
    </message>
    <message>
        <source>Unsaved changes</source>
        <translation>未保存的更改</translation>
    </message>
</context>
<context>
    <name>WorkBar</name>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>about {0} min left</source>
        <translation>约剩 {0} 分钟</translation>
    </message>
    <message>
        <source>about {0} s left</source>
        <translation>约剩 {0} 秒</translation>
    </message>
    <message>
        <source>stopping…</source>
        <translation>正在停止…</translation>
    </message>
    <message>
        <source>{0} of {1} done</source>
        <translation>已完成 {0} / {1}</translation>
    </message>
</context>
<context>
    <name>_Greeting</name>
    <message>
        <source>Alternate greeting {number}</source>
        <translation>备选开场白 {number}</translation>
    </message>
    <message>
        <source>Group greeting {number}</source>
        <translation>群聊开场白 {number}</translation>
    </message>
    <message>
        <source>Move greeting {number} down</source>
        <translation>下移开场白 {number}</translation>
    </message>
    <message>
        <source>Move greeting {number} up</source>
        <translation>上移开场白 {number}</translation>
    </message>
    <message>
        <source>Move group greeting {number} down</source>
        <translation>把群聊开场白 {number} 下移</translation>
    </message>
    <message>
        <source>Move group greeting {number} up</source>
        <translation>把群聊开场白 {number} 上移</translation>
    </message>
    <message>
        <source>Remove greeting {number}</source>
        <translation>移除开场白 {number}</translation>
    </message>
    <message>
        <source>Remove group greeting {number}</source>
        <translation>移除群聊开场白 {number}</translation>
    </message>
</context>
<context>
    <name>_MemberRow</name>
    <message>
        <source>As the card says.</source>
        <translation>按角色卡的设定。</translation>
    </message>
    <message>
        <source>Move %1 down</source>
        <translation>将 %1 下移</translation>
    </message>
    <message>
        <source>Move %1 up</source>
        <translation>将 %1 上移</translation>
    </message>
    <message>
        <source>Mute %1</source>
        <translation>将 %1 静音</translation>
    </message>
    <message>
        <source>No name</source>
        <translation>无名</translation>
    </message>
    <message>
        <source>Remove %1 from the group</source>
        <translation>将 %1 移出群聊</translation>
    </message>
    <message>
        <source>Set for this group.</source>
        <translation>为此群聊单独设定。</translation>
    </message>
    <message>
        <source>Talkativeness of %1</source>
        <translation>%1 的健谈程度</translation>
    </message>
    <message>
        <source>Unmute %1</source>
        <translation>取消 %1 的静音</translation>
    </message>
    <message>
        <source>in the trash</source>
        <translation>在回收站中</translation>
    </message>
    <message>
        <source>muted</source>
        <translation>已静音</translation>
    </message>
</context>
<context>
    <name>_NameDialog</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
</TS>
