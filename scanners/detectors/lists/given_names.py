"""Common given names of several languages, lower case: weak evidence that two capitalised words are a person.

Compiled by hand for this project; no generator of test data is the source, so tests cannot pass by sharing a list.
"""

GIVEN_NAMES = frozenset(
    """
    aaron abdul abigail adam adele adrian adriana agata agnes agnieszka ahmed aiko aisha alan albert alberto alejandra
    alejandro aleksandra alessandro alex alexander alexandra alexis alfred ali alice alicia alina allison amanda amber
    amelia amina amir amit amy ana anastasia anders andrea andreas andrei andrew angela angelica angelo anita anja ann
    anna anne annette annika anthony antoine antonia antonio april arjun armin arnaud arthur arturo asha ashley astrid
    audrey aurelie barbara bart bastian beatrice beatriz ben benjamin benoit bernard bernd berta beth bettina bianca
    bill birgit bjorn bob bogdan boris brandon brenda brian brigitte bruce bruno camila camille carl carla carlo
    carlos carmen carol carolina caroline catarina catherine cecilia cedric celine cesar charles charlotte chen chiara
    chloe chris christian christina christine christoph christopher cindy claire clara claudia claudio claus clemens
    colin connor cristina cynthia dagmar daisuke damian dan daniel daniela danielle dario dariusz dave david dawid
    dean deborah debra deepak denis denise dennis derek diana diane diego dieter dimitri dirk dmitri dominik dominique
    donald donna dora doris dorothy douglas dylan eduardo edward elena eleni elias elif elisa elisabeth elizabeth elke
    ella ellen elsa emil emilia emilie emily emma emmanuel enrico enrique eric erica erik erika erin ernst esther
    ethan etienne eugene eva evan evelyn ewa fabian fabio fatima federica federico felix fernanda fernando filip
    florence florian frances francesca francesco francis francisco franco francois frank franz fred frederic frederik
    friedrich gabriel gabriela gabriele gareth gary genevieve georg george georgia gerald gerard gerd gerhard gianni
    gina giorgio giovanni giulia giuseppe gloria gonzalo grace graham greg gregor gregory greta grzegorz guido
    guillaume gustav gustavo guy hanna hannah hannes hans harald haruto hassan heather hector heidi heike heinrich
    heinz helen helena helene helga helmut henri henrik henry herbert hiroshi holger horst howard hugo ian ibrahim ida
    ignacio igor ikram ines inga inge ingrid irene irina isabel isabella isabelle ivan ivana jack jackson jacob
    jacqueline jacques jade jaime jakob jakub james jamie jan jana jane janet janice jason javier jean jeff jeffrey
    jennifer jens jeremy jerome jerry jesper jesse jessica jesus jill jim joan joana joanna joanne joao joaquin joel
    joerg johan johanna johannes john johnny jon jonas jonathan jordan jorge jose josef joseph joshua joyce juan juana
    judith juha julia julian juliana julie julien juliette julio julius jun jurgen justin kai kamil karen karim karin
    karl karla karolina kasper katarina katarzyna kate katharina katherine kathleen kathrin kathryn katja katrin kay
    keiko keith kelly ken kenji kenneth kerstin kevin khalid kim kirsten klaus konrad krishna kristin kristina
    krystyna krzysztof kumiko kurt kyle lars latoya laura lauren laurence laurent lea leah lee lena leo leon leonardo
    leticia li liam lina linda lisa lisbeth liv logan lorena lorenzo louis louise luca lucas lucia luciana lucie lucy
    ludwig luigi luis luisa luka lukas lutz lydia maciej madison magdalena magnus mahmoud maja malgorzata manfred
    manuel manuela marc marcel marcela marcin marco marcos marek margaret margarita maria mariana marianne marie
    marina mario marion mark marko markus marlene marta martha martin martina mary mateo mateusz mathias mathieu
    mathilde matias matteo matthew matthias maurice mauricio max maximilian maya megan mehmet mei melanie melissa
    mercedes mia michael michal michel michele michelle miguel mikael mike mikhail mila milan milos mina miriam
    mohamed mohammad mohammed moritz muhammad murat mustafa nadia nadine naoki naomi natalia natalie natasha nathalie
    nathan neil nele nicholas nick nicola nicolas nicole niels nikita nikola nikolai nikos nils nina noah noel nora
    norbert nuno olaf oleg olga oliver olivia olivier omar oscar oskar otto pablo pamela paola paolo pascal patricia
    patrick patrik paul paula paulina pavel pawel pedro peggy per peter petr petra philip philipp philippe phillip pia
    pierre pieter piotr priya rachel rafael rafal rahul raj rajesh ralf ralph ramon raphael raquel raul ravi raymond
    rebecca regina reiner renata renate rene ricardo riccardo richard rita robert roberta roberto robin rodrigo roger
    roland rolf roman ron ronald rosa rosemary roy ruben rudolf russell ruth ryan sabine sabrina sally salma sam
    samantha samir samuel sandra sandrine sanjay santiago sara sarah sascha satoshi scott sean sebastian sergei sergio
    shannon sharon shaun sheila shirley sibylle sigrid silke silvia simon simona simone sofia sofie sonia sonja sophia
    sophie stacy stan stanislaw stefan stefania stefanie stefano steffen stephan stephanie stephen steve steven stuart
    sunita susan susanna susanne suzanne sven svenja svetlana sylvia sylvie takashi tamara tania tanja tara tatiana
    ted teresa terry theo theresa thierry thomas thorsten tiago tiffany tim timo timothy tina tobias todd tom tomas
    tomasz tommy toni tony torsten tracy trevor tyler udo ulla ulrich ulrike ursula ute uwe valentin valentina valeria
    valerie vanessa vera veronica veronika veronique victor victoria vijay viktor vincent vincenzo virginia vivian
    vladimir volker walter wei wendy werner wilhelm will william wojciech wolfgang xavier yan yann yasmin yolanda yuki
    yusuf yves yvonne zachary zainab zbigniew zhang zoe zofia
    """.split()  # noqa: SIM905 - eight hundred quoted words would be harder to read
)
